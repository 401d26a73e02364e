// Requests for the fake backend: some written out, and as many more as are wanted, each made when it is asked for.

import type { RequestDetail, RequestRow } from "../contract";
import { DAY, HOUR, MINUTE } from "./sample-lists";

type Row = [
  agent: string,
  line: string,
  state: string,
  ending: string | null,
  exit: number | null,
  by: string | null,
  decided: string | null,
  rule: number | null,
  ago: number,
  ms: number | null,
];

const rows: Row[] = [
  ["builder", "git push origin main", "asking", null, null, null, null, null, 10_000, null],
  ["builder", "npm run build", "running", null, null, "rule 4", "rule-allowed", 4, 40_000, null],
  ["builder", 'rg -n "TODO" src', "finished", "exited", 0, "rule 1", "rule-allowed", 1, 2 * MINUTE, 41],
  [
    "research",
    "curl -fsSL https://example.com/data.json",
    "finished",
    "exited",
    0,
    "you (window)",
    "you-allowed",
    null,
    9 * MINUTE,
    812,
  ],
  ["research", "rm -rf /", "denied", "core", null, null, "rule-denied", null, 12 * MINUTE, null],
  [
    "builder",
    "xcodebuild -scheme App test",
    "finished",
    "exited",
    65,
    "rule 6",
    "rule-allowed",
    6,
    HOUR,
    94_000,
  ],
  [
    "builder",
    "osascript -e 'tell app \"Finder\" to quit'",
    "denied",
    "denylist",
    null,
    null,
    "rule-denied",
    10,
    3 * HOUR,
    null,
  ],
  ["research", "npm publish", "denied", "user", null, null, "you-denied", null, 5 * HOUR, null],
  ["research", "brew upgrade", "denied", "expired", null, null, "unanswered", null, 9 * HOUR, null],
  ["release", "gh release create v1.2.0", "denied", "policy", null, null, "setting-denied", null, DAY, null],
];

const idOf = (n: number) => `0199a1c0-0000-7000-8000-${String(n).padStart(12, "0")}`;

function row(nth: number, now: number, of: Row): RequestRow {
  const [agent, line, state, ending, exitCode, by, decided, rule, ago, durationMs] = of;
  return {
    id: idOf(900_000_000 - nth),
    requestId: idOf(nth),
    agent,
    session: nth % 2 === 0 ? "fix-login" : null,
    line,
    state,
    ending,
    exitCode,
    by,
    at: now - ago,
    durationMs,
    risk: null,
    decided,
    rule,
  };
}

export const samples = (now: number): RequestRow[] => rows.map((of, i) => row(i, now, of));

const verbs = ["git log --oneline", "rg -n error src", "npm run build", "cargo test -p crate", "ls -l dist"];
const agents = ["builder", "research", "release"];

/** The nth of a long history. */
export function older(nth: number, now: number): RequestRow {
  const kind = rows[2 + (nth % (rows.length - 2))] ?? raise();
  const [, , state, ending, exit, by, decided, rule, , ms] = kind;
  const line = `${verbs[nth % verbs.length]} --number ${nth}`;
  const at = 2 * DAY + nth * 20_000;
  return row(rows.length + nth, now, [
    agents[nth % 3] ?? raise(),
    line,
    state,
    ending,
    exit,
    by,
    decided,
    rule,
    at,
    ms,
  ]);
}

const outputOf = (line: string) => (line === "uname -s" ? "Darwin\n" : OUTPUT);

const OUTPUT = `src/main.ts:12: // TODO later
src/app.ts:40: // TODO never
`;

export function detail(of: RequestRow, looks: number): RequestDetail {
  const live = of.state === "running";
  const built = Array.from({ length: 6 + 3 * looks }, (_, i) => `[${i + 1}/40] compiling module ${i + 1}`);
  return {
    row: of,
    command: [{ text: of.line, escaped: false }],
    asked: null,
    cwd: "/Users/kim/Projects/site",
    env: [["NODE_ENV", "test"]],
    steps: [],
    trace: [
      { stage: "read", found: "one simple command" },
      { stage: "deny rules", found: "none matches" },
      { stage: "allow rules", found: of.rule ? "a rule matches, its pin holds" : "none matches" },
    ],
    message: of.state === "denied" ? "Denied before it could start." : "Allowed.",
    rule: of.rule
      ? {
          id: of.rule,
          effect: of.decided === "rule-denied" ? "deny" : "allow",
          pattern: "/opt/homebrew/bin/rg",
          source: "you",
          why: null,
        }
      : null,
    digest: "a".repeat(64),
    feedback: of.decided === "you-denied" ? "not from a branch" : null,
    says: "look for what is left to do",
    timeline: [
      { at: of.at, what: "came in" },
      { at: of.at + 3, what: of.state === "denied" ? `denied: ${of.ending ?? ""}` : "allowed" },
      ...(of.durationMs === null ? [] : [{ at: of.at + 5 + of.durationMs, what: "ended: exited" }]),
    ],
    stdout: live ? `${built.join("\n")}\n` : of.state === "finished" ? outputOf(of.line) : null,
    stderr: of.exitCode ? "1 test failed\n" : null,
    truncated: false,
    pid: live ? 4242 : null,
  };
}

function raise(): never {
  throw new Error("the samples are empty");
}

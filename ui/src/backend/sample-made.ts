// Questions that are not recorded, made of those that are. Their parts are those that a host gives.

import type { CommandPart, DiffLine, Piece, Proposal, Question, ShownStep } from "../contract";

const BODY = [
  "Fix the login redirect",
  "",
  "The page went to / after a login, also where a visitor",
  "came from a link. It goes back to that link now.",
  "",
  "Co-Authored-By: Claude <noreply@anthropic.com>",
];
const LINES = [`git commit -m "$(cat <<'EOF'`, ...BODY, "EOF", `)"`];
const FOLDER = "/Users/kim/Projects/site";

const text = (plain: string): Piece[] => [{ text: plain, kind: "plain" }];

/** Lines with an escape at the end of each but the last. */
const lines = (all: string[]): Piece[] =>
  all.flatMap((line, i) => [
    ...(i > 0 ? [{ text: "\\n", kind: "escaped" as const }] : []),
    ...(line === "" ? [] : text(line)),
  ]);

const command: CommandPart[] = [
  { role: "program", step: 0, text: text("git") },
  { role: "argument", step: 0, text: text(' commit -m "$(') },
  { role: "program", step: 1, text: text("cat") },
  { role: "argument", step: 1, text: text(" <<'EOF'") },
  { role: "argument", step: 0, text: lines(["", ...BODY, "EOF", ')"']) },
];

const step = (argv: string[], more: Pick<ShownStep, "decision" | "reason" | "span">): ShownStep => ({
  argv,
  text: argv.join(" "),
  program: argv[0] ?? "",
  path: `/usr/bin/${argv[0]}`,
  dangerous: false,
  why: [],
  rule: null,
  ...more,
});

const proposal: Proposal = {
  id: "command",
  label: [
    { text: "git commit … with any arguments, doing no more than this", kind: "plain" },
    ...[", in ", FOLDER, " and below"].flatMap(text),
  ],
  folder: text(FOLDER),
  rules: [
    {
      pattern: { kind: "command", value: "git commit *" },
      text: "git commit *",
      pinned: true,
      folder: FOLDER,
      input: { kind: "nothing" },
    },
  ],
  renews: 0,
  wouldMatch: [0, 0],
};

/**
 * A commit as coding agents write it: with its message in a here-document.
 *
 * @param from  a question whose agent, session and folder are this one's as well
 */
export function heredoc(from: Question): Question {
  const shell = LINES.join("\n");
  return {
    ...from,
    id: "0199a1c0-0000-7000-8000-000000000021",
    code: "c3f6",
    digest: "3".repeat(64),
    asker: { ...from.asker, says: null },
    command,
    line: LINES.join("\\n"),
    argv: null,
    shell: true,
    editable: shell,
    steps: [
      step(["git", "commit", "-m", BODY.join("\\n")], {
        decision: "ask",
        reason: "allowlist-miss",
        span: [0, shell.length],
      }),
      step(["cat"], { decision: "allow", reason: "rule", span: [17, 28] }),
    ],
    programs: from.programs.slice(0, 1),
    env: [],
    headline: text("builder wants to commit changes"),
    why: [
      ...text("You haven’t allowed "),
      { text: "git commit", kind: "code" },
      ...text(" for builder yet."),
    ],
    risk: { level: "needs-review", reasons: [] },
    alone: true,
    proposals: [proposal],
    recent: [],
  };
}

const line = (change: DiffLine["change"], plain: string): DiffLine => ({ change, text: text(plain) });

/**
 * An edit that removes a line and adds some.
 *
 * @param from  a question about a file that is written
 */
export function edit(from: Question): Question {
  const path = text(`${FOLDER}/src/login.test.js`);
  const lines = [
    line("removed", 'require("node:test")("a visitor can log in", () => {});'),
    line("added", 'const test = require("node:test");'),
    line("added", 'test("a visitor can log in", () => {});'),
    line("added", 'test("a visitor can log out", () => {});'),
  ];
  return {
    ...from,
    id: "0199a1c0-0000-7000-8000-000000000022",
    digest: "4".repeat(64),
    tool: text("Edit"),
    subject: { kind: "file-edit", path, lines },
    headline: [...text("builder wants to write "), { text: `${FOLDER}/src/login.test.js`, kind: "code" }],
    why: text("Your rule asks about this file."),
    confinement: text("Done by builder with its tool Edit"),
  };
}

/**
 * The same command with a script that was allowed as it is: its lines are in the details.
 *
 * @param from  a question about a new script
 */
export function known(from: Question): Question {
  const programs = from.programs.map((program) => ({
    ...program,
    ...(program.script ? { script: { ...program.script, state: "unchanged" as const } } : {}),
  }));
  return { ...from, id: "0199a1c0-0000-7000-8000-000000000023", digest: "5".repeat(64), programs };
}

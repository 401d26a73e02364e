// Questions for the fake backend: one of each kind that a person meets, and the worst that an agent can send. A real host
// asked them: `scripts/record-samples` writes recorded.json.

import type { Batch, Piece, Question } from "../contract";
import recorded from "./recorded.json";
import { everywhere } from "./sample-everywhere";

export const text = (plain: string): Piece[] => [{ text: plain, kind: "plain" }];
export const escaped = (code: string): Piece => ({ text: code, kind: "escaped" });

/** A sentence of the host that names some code. */
export const sentence = (before: string, code: string, after: string): Piece[] => [
  ...text(before),
  { text: code, kind: "code" },
  ...text(after),
];

/** A recorded question as if it had been asked 38 seconds ago. */
function sample(name: Exclude<keyof typeof recorded, "alikeBatch">) {
  return (now = Date.now()): Question => {
    // JSON keeps no unions: a test of the host holds the file to the contract.
    const question = structuredClone(recorded[name]) as unknown as Question;
    const later = now - 38_000 - question.askedAt;
    const recent = question.recent.map((past) => ({ ...past, at: past.at + later }));
    return { ...question, askedAt: question.askedAt + later, expiresAt: question.expiresAt + later, recent };
  };
}

export const push = sample("push");
export const dangerous = sample("dangerous");
/** An argv of many words, and a script that is bound to what it holds. */
export const script = sample("script");
/** The same with a script that was allowed as it is: its lines are in the details. */
export const known = sample("known");
/** Everything hostile that an agent can say. */
export const hostile = sample("hostile");
/** A tool of the agent's own: it has no program and no folder. */
export const tool = sample("tool");
/** An edit that removes a line and adds some. */
export const edit = sample("edit");
/** A command that a person has changed, waiting for their yes. */
export const edited = sample("edited");
/** More than fits on any screen: numbered files, and files of one folder. */
export const long = sample("long");
export const files = sample("files");
/** A file that the agent can change until it runs. */
export const changeable = sample("changeable");
/** A commit as coding agents write it: with its message in a here-document. */
export const heredoc = sample("heredoc");
/** Text on standard input. */
export const input = sample("input");

/** A dangerous command for which a rule can be saved. */
export const destructive = sample("destructive");

/** What agents ask most: something harmless, a push, and a line of two steps. */
export const uname = sample("uname");
export const commits = sample("commits");
export const tests = sample("tests");
/** A deletion outside of the project, measured. */
export const remove = sample("remove");
/** A page that is fetched, and a tool of an MCP server. */
export const fetch = sample("fetch");
export const mcp = sample("mcp");
/** Six pages of one host: the first of them, and all as one. */
export const alike = sample("alike");
export const alikeBatch = recorded.alikeBatch as unknown as Batch;

/** A question of another computer, as the host makes it of what that one sent. */
function from(host: string, question: Question): Question {
  const headline = [{ text: host, kind: "code" as const }, ...text(" · "), ...question.headline];
  const sent: Question = { ...question, id: `${question.id}-${host}`, headline, host, renews: [] };
  delete sent.editable;
  return sent;
}

/** What waits in the inbox, oldest first; of several agents, and of other computers. */
export function waiting(now: number, scene: string): Question[] {
  const all =
    scene === "hostile"
      ? [hostile(now), long(now)]
      : scene === "fleet"
        ? [push(now), from("studio", push(now)), from("studio", dangerous(now)), from("ci-7", uname(now))]
        : [push(now), dangerous(now), script(now), destructive(now)];
  return all.map((question, nth) => ({
    ...question,
    waiting: all.length - 1,
    askedAt: question.askedAt + nth * 9_000,
    expiresAt: question.expiresAt + nth * 9_000,
  }));
}

/** What a person makes of a question's command: the recorded change, under this line. */
export function editedTo(question: Question, line: string): Question {
  const changed = edited();
  return {
    ...changed,
    id: question.id,
    code: question.code,
    asker: question.asker,
    command: [{ role: "program", step: 0, text: text(line) }],
    line,
    argv: line.split(" ").map(text),
    editable: line,
    edited: question.edited ?? question.command.flatMap((one) => one.text),
    askedAt: Date.now(),
    expiresAt: Date.now() + 120_000,
  };
}

export const scenes = {
  push,
  dangerous,
  script,
  hostile,
  tool,
  edited,
  long,
  files,
  changeable,
  input,
  destructive,
  uname,
  commits,
  tests,
  remove,
  fetch,
  mcp,
  alike,
  heredoc,
  edit,
  known,
  later: push,
  queued: () => ({ ...push(), waiting: 2 }),
  /** In a repository with a remote: its name is in the header, and a foreign folder of any length beside the details. */
  repository: () => ({
    ...push(),
    repository: text("acme/site"),
    cwd: text(`~/Projects/site/packages/${"a-long-name/".repeat(6)}src`),
  }),
  everywhere: () => everywhere(120, false),
  "everywhere-long": () => everywhere(16 * 1024, false),
  "everywhere-tool": () => everywhere(120, true),
};
export type Scene = keyof typeof scenes;

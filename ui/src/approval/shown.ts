// Small questions about what is on show.

import { isEnd, isTab } from "../parts/shell";
import type { CommandPart, EnvChange, Piece, Question, Showing, ShownScript, ShownStep } from "../contract";

/** The text of pieces, as a person reads it. */
export const plain = (pieces: Piece[]): string => pieces.map((piece) => piece.text).join("");

/** The text that pieces stand for, where they show it unchanged; null where something was escaped. */
export function exact(pieces: Piece[]): string | null {
  const text = plain(pieces);
  return pieces.some((piece) => piece.kind === "escaped") || text.includes("\\") ? null : text;
}

/** Names what is on show: something else is judged from the start. */
export const keyOf = ({ question, batch }: Showing): string =>
  [question, ...(batch?.members ?? [])].map((one) => one && one.digest).join(" ") + (question?.id ?? "");

/** How a step is marked. */
export type Mark = "allow" | "ask" | "dangerous" | "deny";

export function markOf(step: ShownStep): Mark {
  return step.decision !== "deny" && step.dangerous ? "dangerous" : step.decision;
}

/** A line of the command: one step, with what stands before it and the operator behind it. */
interface Row {
  step: number | null;
  /** Whether the step goes on after another one inside it: its mark stands where it began. */
  again: boolean;
  parts: CommandPart[];
}

/** The command as one step a line. The parts stay in their order, and none is left out. */
export function rowsOf(command: CommandPart[]): Row[] {
  const rows: Row[] = [];
  let open = false;
  for (const part of command) {
    const last = rows.at(-1);
    const another = part.step !== null && last?.step !== null && last?.step !== part.step;
    if (!last || !open || another) rows.push({ step: part.step, again: false, parts: [part] });
    else {
      last.parts.push(part);
      last.step ??= part.step;
    }
    // What follows an operator begins a line; what stands between two steps otherwise stays with the first.
    open = part.role !== "operator";
  }
  const seen = new Set<number>();
  for (const [i, row] of rows.entries()) {
    row.again = row.step !== null && seen.has(row.step);
    if (row.step !== null) seen.add(row.step);
    const before = rows[i - 1];
    if (!before) continue;
    endLine(before, row);
    row.parts = unpadded(row.parts);
  }
  return rows.filter((row) => row.parts.length > 0);
}

/** Moves the end of a line, with which a row would begin, to the row before it. */
function endLine(before: Row, row: Row) {
  const [first, ...rest] = row.parts;
  const [piece, ...pieces] = first?.text ?? [];
  if (!first || !piece || !isEnd(piece)) return;
  before.parts.push({ ...first, text: [piece] });
  row.parts = pieces.length > 0 ? [{ ...first, text: pieces }, ...rest] : rest;
}

/** Parts without the space that stood between two steps: the line's begin stands for it. */
function unpadded([first, ...rest]: CommandPart[]): CommandPart[] {
  const [piece, ...pieces] = first?.text ?? [];
  if (!first || piece?.kind !== "plain") return first ? [first, ...rest] : [];
  return [{ ...first, text: [{ ...piece, text: piece.text.replace(/^ /, "") }, ...pieces] }, ...rest];
}

/** Time left as `1:05`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** A word as a shell would see it, the space between two, a tab, or the end of a line. */
export interface Word {
  pieces: Piece[];
  /** Whether it fits into a line, so that it is not broken inside. */
  keep: boolean;
  mark?: "end" | "tab";
}

/** Fits into a line of the panel: what is longer breaks inside. */
export const FITS = 44;

export function wordsOf(pieces: Piece[]): Word[] {
  const found: (Word & { space: boolean })[] = [];
  for (const piece of pieces) {
    const escape = piece.kind === "escaped";
    if (isEnd(piece) || isTab(piece)) {
      found.push({ pieces: [piece], keep: false, mark: isEnd(piece) ? "end" : "tab", space: true });
      continue;
    }
    const parts = escape ? [piece.text] : piece.text.split(/( +)/).filter((part) => part !== "");
    for (const text of parts) {
      const space = !escape && text.startsWith(" ");
      const last = found.at(-1);
      if (last && !last.space && !space) last.pieces.push({ text, kind: piece.kind });
      else found.push({ pieces: [{ text, kind: piece.kind }], keep: false, space });
    }
  }
  return found.map(({ space, ...word }) => ({ ...word, keep: !space && plain(word.pieces).length <= FITS }));
}

/** The longest text that a chip shows. */
const CHIP = 40;
/** The most chips of the environment. */
const CHIPS = 4;

const fits = (pieces: Piece[]) => plain(pieces).length <= CHIP;
const envText = (change: EnvChange) => [...change.name, ...(change.was ?? []), ...change.value];

/** Whether the changes of the environment can be shown as chips, with nothing left out. */
function envFits(env: EnvChange[]): boolean {
  return env.length <= CHIPS && env.every((change) => fits(envText(change)));
}

/** The folders in which only the system installs programs. */
const SYSTEM = /^\/(usr\/)?s?bin\//;

/** The places of programs that a bare name leads to outside of the system's folders. */
export function elsewhere(question: Question): Piece[][] {
  return question.programs
    .filter(({ name, path }) => !plain(name).includes("/") && !SYSTEM.test(plain(path)))
    .map(({ path }) => path);
}

/**
 * Whether the folder is not where its repository's name lets expect it: in the home folder, in no hidden folder, and called so.
 * An agent can write that name.
 */
export function isForeign({ cwd, repository }: Question): boolean {
  if (!repository) return false;
  const path = plain(cwd);
  const usual = path.startsWith("~/") && !path.includes("/.") && cwd.every(({ kind }) => kind === "plain");
  return !usual || path.split("/").at(-1) !== plain(repository).split("/").at(-1);
}

/** Whether what deviates fits into chips, with nothing left out. Else the details are open. */
export const chipsFit = (question: Question): boolean =>
  envFits(question.env) && elsewhere(question).every(fits);

/** The scripts that nobody allowed as they are, each once. */
export function unknownScripts({ programs }: Question): ShownScript[] {
  const all = programs.flatMap(({ script }) => (script && script.state !== "unchanged" ? [script] : []));
  // Two that differ may begin with the same digits of their hash: only the same file is shown once.
  const key = ({ path, sha256 }: ShownScript) => `${sha256} ${plain(path)}`;
  return all.filter((one, i) => all.findIndex((other) => key(other) === key(one)) === i);
}

/** The question as it came, as JSON of visible ASCII: every other character is its escape. */
export const rawJson = (question: Question): string =>
  JSON.stringify(question, null, 2).replace(
    /[^\n -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

// Small questions about what is on show.

import type { CommandPart, Piece } from "../contract";

/** The text of pieces, as a person reads it. */
export const plain = (pieces: Piece[]): string => pieces.map((piece) => piece.text).join("");

/** The text that pieces stand for, where they show it unchanged; null where something was escaped. */
export function exact(pieces: Piece[]): string | null {
  const text = plain(pieces);
  return pieces.some((piece) => piece.kind === "escaped") || text.includes("\\") ? null : text;
}

/** Stretches of one step next to each other, so that a step is marked as a whole. */
export interface StepRun {
  step: number | null;
  parts: CommandPart[];
}

export function stepRuns(command: CommandPart[]): StepRun[] {
  const runs: StepRun[] = [];
  for (const part of command) {
    const last = runs.at(-1);
    if (last && part.step !== null && last.step === part.step) last.parts.push(part);
    else runs.push({ step: part.step, parts: [part] });
  }
  return runs;
}

/** Whether arguments are better read one to a row: many, or one that is long or not plain. */
export function rowsFit(argv: Piece[][]): boolean {
  return (
    argv.length > 7 ||
    argv.some((token) => plain(token).length > 72 || token.some((piece) => piece.kind === "escaped"))
  );
}

/** Time left as `1:05`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** A word as a shell would see it, or the space between two. Lines break between words, not inside one that fits. */
export interface Word {
  pieces: Piece[];
  space: boolean;
}

export function wordsOf(pieces: Piece[]): Word[] {
  const found: Word[] = [];
  for (const piece of pieces) {
    const whole = piece.kind === "escaped";
    const parts = whole ? [piece.text] : piece.text.split(/( +)/).filter((part) => part !== "");
    for (const text of parts) {
      const space = !whole && text.startsWith(" ");
      const last = found.at(-1);
      if (last && !last.space && !space) last.pieces.push({ text, kind: piece.kind });
      else found.push({ pieces: [{ text, kind: piece.kind }], space });
    }
  }
  return found;
}

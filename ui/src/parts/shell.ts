// Shell text in lines.

import type { BodyLines, Piece } from "../contract";

const NEWLINE = "\\n";
const TAB = "\\t";

/** A body of more lines than this is long. */
const LONG = 8;

/** A line, or the lines of a here-document's body. */
export type Block = { line: Piece[] } | { body: Piece[][] };

/** Mark at the end of each line. */
export const END = "¶";

/** Mark in front of a tab. */
export const TAB_MARK = "⇥";

export const isTab = ({ kind, text }: Piece): boolean => kind === "escaped" && text === TAB;
export const isEnd = ({ kind, text }: Piece): boolean => kind === "escaped" && text === NEWLINE;

/** Returns the pieces of each line. Only an escaped line end ends one: a backslash and an n that were typed are text. */
export function linesOf(pieces: Piece[]): Piece[][] {
  const lines: Piece[][] = [[]];
  for (const piece of pieces) {
    if (isEnd(piece)) lines.push([]);
    else lines.at(-1)?.push(piece);
  }
  return lines;
}

/** Returns the text with its line ends and tabs, for a clipboard. What else is escaped stays so. */
export const copied = (pieces: Piece[]): string =>
  linesOf(pieces)
    .map((line) => line.map((piece) => (isTab(piece) ? "\t" : piece.text)).join(""))
    .join("\n");

/** Returns the lines with the long bodies of here-documents set apart. Lines that are not there are no body. */
export function blocksOf(pieces: Piece[], bodies: BodyLines[]): Block[] {
  const lines = linesOf(pieces);
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length;) {
    const body = bodies.find(({ first, count }) => first === at && count > LONG && at + count < lines.length);
    if (body) blocks.push({ body: lines.slice(at, at + body.count) });
    else blocks.push({ line: lines[at] ?? [] });
    at += body?.count ?? 1;
  }
  return blocks;
}

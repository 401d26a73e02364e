// The escapes that the app writes into text, as a page shows them.

import type { Piece } from "../contract";

/** The escape of one character as people write its number: `\u{456}` is U+0456. Other escapes stay as they are. */
export function named(escape: string): string {
  const digits = /^\\u\{([0-9a-f]+)\}$/i.exec(escape)?.[1];
  return digits ? `U+${digits.toUpperCase().padStart(4, "0")}` : escape;
}

/** Pieces as one line of text that can be shown. */
export const textOf = (pieces: Piece[]): string => pieces.map((piece) => named(piece.text)).join("");

/** A text of the page, with what it names in it, as a piece. */
export const said = (text: string): Piece[] => [{ text, kind: "plain" }];

/** A text of more letters than this is long. */
const LONG = 1000;

/** Whether a text is so long that setting its lines takes a while. */
export const isLong = (pieces: Piece[]): boolean =>
  pieces.reduce((sum, piece) => sum + piece.text.length, 0) > LONG;

/** The escape of one character, as the app writes it. */
export const escapeOf = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/**
 * The pieces of a line that was escaped for a terminal, where a literal backslash is doubled. Nothing is turned back into
 * the character it stands for: an escape becomes a marked piece, and two backslashes become the one they stand for.
 */
export function piecesOf(line: string): Piece[] {
  const found: Piece[] = [];
  for (const text of line.match(/\\(?:u\{[0-9a-f]+\}|x[0-9a-f]{2}|[nrt\\])|[^\\]+|\\/gi) ?? []) {
    const escaped = text.length > 1 && text.startsWith("\\") && text !== "\\\\";
    const shown = text === "\\\\" ? "\\" : text;
    const last = found.at(-1);
    if (!escaped && last?.kind === "plain") last.text += shown;
    else found.push({ text: shown, kind: escaped ? "escaped" : "plain" });
  }
  return found;
}

/** What went wrong, in the app's words: a command of the app fails with a text, a page's own code with an error. */
export const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

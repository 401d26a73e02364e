// The host's sentences name commands between backticks. They are told apart here, and shown as code.

import type { Piece } from "../contract";
import { piecesOf } from "./escaped";

/** A stretch of a sentence: words, or a command that it names. */
export interface Stretch {
  pieces: Piece[];
  code: boolean;
}

/**
 * A sentence in stretches. Only a single pair of backticks is taken for the host's own: any more may come from the
 * command that is named, which could pass its middle off as the host's words; such a sentence stays as it is written.
 */
export function stretches(said: Piece[] | string): Stretch[] {
  // The host escapes what it quotes where it forms the sentence.
  const pieces =
    typeof said === "string"
      ? piecesOf(said)
      : said.flatMap((piece) => (piece.escaped ? [piece] : piecesOf(piece.text)));
  const marks = pieces.reduce(
    (sum, piece) => sum + (piece.escaped ? 0 : piece.text.split("`").length - 1),
    0,
  );
  if (marks !== 2) return [{ pieces, code: false }];
  const found: Stretch[] = [{ pieces: [], code: false }];
  for (const piece of pieces) {
    const texts = piece.escaped ? [piece.text] : piece.text.split("`");
    for (const [i, text] of texts.entries()) {
      if (i > 0) found.push({ pieces: [], code: found.length === 1 });
      if (text !== "") found.at(-1)?.pieces.push({ text, escaped: piece.escaped });
    }
  }
  return found.filter((stretch) => stretch.pieces.length > 0);
}

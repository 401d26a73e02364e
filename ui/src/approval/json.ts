// A tool's arguments, a member to a row. Only white space outside strings is another; every piece stays as the app wrote it.

import type { Piece } from "../contract/Piece";

/** A row of the layout: how deep it stands, and what is in it. */
export interface Row {
  depth: number;
  pieces: Piece[];
}

/** Lays JSON text out. What is no JSON comes out in one row, or in odd ones, but whole. */
export function layOut(pieces: Piece[]): Row[] {
  const rows: Row[] = [{ depth: 0, pieces: [] }];
  let inString = false;
  let escaped = false;
  let depth = 0;
  const put = (text: string, isEscape = false) => {
    const row = rows.at(-1) as Row;
    const last = row.pieces.at(-1);
    if (last && !last.escaped && !isEscape) last.text += text;
    else row.pieces.push({ text, escaped: isEscape });
  };
  const open = () => rows.push({ depth, pieces: [] });

  for (const piece of pieces) {
    if (piece.escaped) {
      put(piece.text, true);
      escaped = false;
      continue;
    }
    const letters = [...piece.text];
    for (const [at, c] of letters.entries()) {
      const next = letters[at + 1];
      if (inString) {
        put(c);
        if (escaped) escaped = false;
        else if (c === "\\") escaped = true;
        else if (c === '"') inString = false;
      } else if (c === "{" || c === "[") {
        put(c);
        depth += 1;
        if (next !== "}" && next !== "]") open();
      } else if (c === "}" || c === "]") {
        depth = Math.max(0, depth - 1);
        if (!/[{[]$/.test(rows.at(-1)?.pieces.at(-1)?.text ?? "")) open();
        put(c);
      } else if (c !== " ") {
        put(c === ":" ? ": " : c);
        if (c === ",") open();
        if (c === '"') inString = true;
      }
    }
  }
  return rows;
}

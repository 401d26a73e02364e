// Bodies of here-documents, folded but for their first line. The rest can be read only when the fold is open.

import type { BodyLines, CommandPart } from "../contract";
import type { Fold } from "./fold";
import { wordsOf, type Word } from "./shown";

/** A body of more lines than this is folded. */
const LONG = 3;

const isEnd = (word: Word) => word.mark === "end";

/** Returns the words of each part, with folds in place of long bodies. */
export function withBodies(parts: CommandPart[], bodies: BodyLines[]): (Word | Fold)[][] {
  const long = bodies.filter(({ count }) => count > LONG);
  let line = 0;
  return parts.map((part) => {
    const words = wordsOf(part.text);
    const ends = words.flatMap((word, at) => (isEnd(word) ? [at] : []));
    const found: (Word | Fold)[] = [];
    let from = 0;
    for (const [nth, start] of ends.entries()) {
      const body = long.find(({ first }) => first === line + nth);
      const end = body && ends[nth + body.count - 1];
      if (!body || end === undefined || start < from) continue;
      const fold: Fold = { words: words.slice(start, end), count: body.count - 1, lines: true };
      found.push(...words.slice(from, start), fold);
      from = end;
    }
    line += ends.length;
    return [...found, ...words.slice(from)];
  });
}

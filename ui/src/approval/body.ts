// Bodies of here-documents, folded but for their first line. The rest can be read only when the fold is open.

import type { CommandPart } from "../contract";
import { blocksOf } from "../parts/shell";
import type { Fold } from "./fold";
import { wordsOf, type Word } from "./shown";

/** A body of more lines than this is folded. */
const LONG = 3;

/** Long bodies of a command: number of the first and of the last line of each. */
type Bodies = Map<number, number>;

export function bodiesOf(command: CommandPart[]): Bodies {
  const found: Bodies = new Map();
  let line = 0;
  for (const block of blocksOf(
    command.flatMap((part) => part.text),
    LONG,
  )) {
    const last = "body" in block ? line + block.body.length - 1 : line;
    if ("body" in block) found.set(line, last);
    line = last + 1;
  }
  return found;
}

const isEnd = (word: Word) => word.mark === "end";

/**
 * Returns the words of each part, with folds in place of long bodies. A body that has steps in it is more than one part, and
 * is not folded.
 */
export function withBodies(parts: CommandPart[], bodies: Bodies): (Word | Fold)[][] {
  let line = 0;
  return parts.map((part) => {
    const words = wordsOf(part.text);
    const ends = words.flatMap((word, at) => (isEnd(word) ? [at] : []));
    const found: (Word | Fold)[] = [];
    let from = 0;
    for (const [nth, start] of ends.entries()) {
      const count = (bodies.get(line + nth) ?? NaN) - line - nth;
      const end = ends[nth + count];
      if (end === undefined) continue;
      found.push(...words.slice(from, start), { words: words.slice(start, end), count, lines: true });
      from = end;
    }
    line += ends.length;
    return [...found, ...words.slice(from)];
  });
}

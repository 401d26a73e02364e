// Long lists of operands, folded. A fold loses nothing, or it says so: then it has to be opened before anything is allowed.
// The bodies of here-documents fold as well: body.ts.

import { plain, type Word } from "./shown";

/** A stretch of words in place of many: numbers that follow each other, or the first and last path in a folder. */
export interface Fold {
  words: Word[];
  /** How many operands or lines it stands for. */
  count: number;
  /** What stands for all of them, with nothing lost. */
  exact?: { head: string; numbers: string; tail: string };
  /** Where those between the first and the last one are. */
  folder?: { name: string; ending: string };
  /** Whether it stands for lines of a here-document. */
  lines?: true;
}

/** Fewer numbered operands than this are read at once. */
const NUMBERED = 6;
/** Fewer paths than this are read at once. */
const PATHS = 12;

/** Words, and folds in place of those that they stand for. */
export function foldsOf(words: (Word | Fold)[]): (Word | Fold)[] {
  const found: (Word | Fold)[] = [];
  for (let at = 0; at < words.length;) {
    const run = runAt(words, at, words[at - 2]);
    const fold = run && (numbered(run) ?? sameFolder(run));
    const word = words[at];
    if (fold) found.push(fold);
    else if (word) found.push(word);
    at += fold ? fold.words.length : 1;
  }
  return found;
}

export const isFold = (one: Word | Fold): one is Fold => "count" in one;

/** Whether some of its operands can be read only when it is open. */
export const hides = (one: Word | Fold): boolean => isFold(one) && !one.exact;

/** Returns the operands from here on that stand one space apart. What follows an option may be its value, and is none. */
function runAt(words: Shown[], from: number, before: Shown): Word[] | undefined {
  if (isWord(before) && /^-./.test(plain(before.pieces)) && plain(before.pieces) !== "--") return undefined;
  let end = from;
  while (isOperand(words[end]) && (end === from || isSpace(words[end - 1]))) end += 2;
  return end > from ? words.slice(from, end - 1).filter(isWord) : undefined;
}

type Shown = Word | Fold | undefined;

const isWord = (one: Shown): one is Word => one !== undefined && !isFold(one);
const isSpace = (one: Shown) => isWord(one) && plain(one.pieces) === " ";

/** Whether a word is plain letters, so that a summary can name it. Options, escapes, quotes, hidden files and `..` are not. */
function isOperand(word: Shown): word is Word {
  const [piece, ...more] = isWord(word) ? word.pieces : [];
  return (
    piece?.kind === "plain" &&
    more.length === 0 &&
    /^(?!-)(?!\.\.)(?!.*\/\.)(?:\.\/)?[\w@%+~/-][\w@%+./~-]*$/.test(piece.text)
  );
}

/** Folds operands that differ in one number, which rises from each to the next. */
function numbered(run: Word[]): Fold | undefined {
  const split = (word: Word | undefined) => (word ? plain(word.pieces).split(/(\d+)/) : []);
  const first = split(run[0]);
  const second = split(run[2]);
  const place = first.findIndex((part, i) => part !== second[i]);
  const numbers: number[] = [];
  for (let at = 0; at < run.length; at += 2) {
    const parts = split(run[at]);
    const number = Number(parts[place]);
    const alike = parts.length === first.length && parts.every((part, i) => i === place || part === first[i]);
    const rises = Number.isSafeInteger(number) && number > (numbers.at(-1) ?? -1);
    if (!alike || !rises || String(number) !== parts[place]) break;
    numbers.push(number);
  }
  if (place % 2 === 0 || numbers.length < NUMBERED) return undefined;
  const exact = {
    head: first.slice(0, place).join(""),
    numbers: ranges(numbers),
    tail: first.slice(place + 1).join(""),
  };
  return { words: run.slice(0, 2 * numbers.length - 1), count: numbers.length, exact };
}

/** Writes rising numbers: `1–5, 7`. */
function ranges(numbers: number[]): string {
  const found: [number, number][] = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last && last[1] + 1 === number) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([first, last]) => (first === last ? String(first) : `${first}–${last}`)).join(", ");
}

/** Folds paths of one folder and one ending. */
function sameFolder(run: Word[]): Fold | undefined {
  const kind = kindOf(run[0]);
  let end = 0;
  while (kind && end < run.length && kindOf(run[end]) === kind) end += 2;
  if (end / 2 < PATHS) return undefined;
  const words = run.slice(0, end - 1);
  const paths = words.filter((_, i) => i % 2 === 0).map((word) => plain(word.pieces).split("/"));
  const [first = [], ...rest] = paths;
  const shared = first.findIndex(
    (name, i) => i === first.length - 1 || rest.some((path) => path[i] !== name),
  );
  const folder = { name: `${first.slice(0, shared).join("/")}/`, ending: endingOf(first) };
  return { words, count: words.length / 2 + 0.5, folder };
}

const endingOf = (path: string[]) => /\.\w+$/.exec(path.at(-1) ?? "")?.[0] ?? "";

/** The outermost folder of a path, and its ending; undefined where it has no folder. */
function kindOf(word: Word | undefined): string | undefined {
  const path = word ? plain(word.pieces).split("/") : [];
  const outermost = path.slice(0, path[0] === "" || path[0] === "~" || path[0] === "." ? 2 : 1);
  return path.length > outermost.length ? `${outermost.join("/")} ${endingOf(path)}` : undefined;
}

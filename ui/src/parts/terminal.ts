// What a program wrote, as a terminal would leave it: colours are styles, and what was written over or erased is gone. The
// text comes escaped from the host, and stays so: a control sequence is read from its escapes, an escape that is not part
// of one is shown, and no control character is ever made.

import { escapeOf, piecesOf } from "./escaped";
import { PLAIN, restyled, type Style } from "./rendition";

/** A stretch of one style. An escape (`\u{202e}`) stands for one character and by itself. */
export interface Run {
  text: string;
  style: Style;
  escaped: boolean;
}

interface Cell extends Run {
  /** The word it was written in, by number; 0 is between words. */
  word: number;
}

const BLANK: Cell = { text: " ", style: PLAIN, escaped: false, word: 0 };
/** Farther right, a column that is named counts as this one. */
const COLUMNS = 1000;
/** A row that is named farther down is the last one. */
const ROWS = 200;

/** Sequences as the host escapes them. Titles, folders, links, progress and prompt marks (OSC) have nothing to show. */
const ESC = String.raw`\\u\{1b\}`;
const TOKEN = new RegExp(
  [
    String.raw`${ESC}\[(?<mode>\?)?(?<args>[\d;:]*)(?<final>[A-Za-z])`,
    String.raw`(?<silent>${ESC}\](?:[0-2]|7|8|9|133);(?:[^\\\n]|\\\\)*?(?:\\u\{7\}|${ESC}\\\\)|${ESC}\(B|\\u\{7\})`,
    String.raw`(?<move>\\r|\\u\{8\}|\n)`,
    String.raw`(?<escape>\\(?:u\{[0-9a-f]+\}|x[0-9a-f]{2}|[nt]))`,
    String.raw`(?<text>(?:[^\\\n]|\\\\)+|\\)`,
  ].join("|"),
  "gu",
);

/** Words, and what is between them, as the host tells them apart. */
const PARTS = /([\s!-/:-@[-`{-~]+)|[^\s!-/:-@[-`{-~]+/gu;
/** A character with the marks that are drawn on it. */
const CHARACTERS = /\P{M}\p{M}*|\p{M}+/gu;

/** Returns what a terminal would show of escaped output, in runs, with at most as many blanks put in as it has characters. */
export function terminal(output: string): Run[] {
  // Without an escape nothing moves: most output is long and plain.
  if (output !== "" && !output.includes("\\")) return [{ text: output, style: PLAIN, escaped: false }];
  const screen = new Screen(output.length);
  for (const { groups, 0: token } of output.matchAll(TOKEN)) {
    const { mode, args, final, silent, move, text } = groups ?? {};
    if (text !== undefined) screen.write(text.replaceAll("\\\\", "\\"));
    else if (move !== undefined) screen.move(move);
    else if (silent !== undefined) continue;
    else if (final === undefined) screen.escape(token);
    else if (!screen.control(mode !== undefined, args ?? "", final)) screen.unknown(token);
  }
  return screen.runs();
}

class Screen {
  private readonly rows: Cell[][] = [[]];
  private row = 0;
  private column = 0;
  /** The row at the top of the window: what was cleared away above it stays, as what was scrolled away does. */
  private top = 0;
  private saved = { row: 0, column: 0 };
  private style = PLAIN;
  /** The length of each word as it was written. */
  private readonly words = [0];

  /** @param spare how many blanks may be put in where the cursor was moved to */
  constructor(private spare: number) {}

  write(text: string) {
    for (const [part, between] of text.matchAll(PARTS)) {
      const characters = part.match(CHARACTERS) ?? [];
      const word = between === undefined ? this.words.push(characters.length) - 1 : 0;
      for (const one of characters) this.put({ text: one, style: this.style, escaped: false, word });
    }
  }

  escape(text: string) {
    this.put({ text, style: this.style, escaped: true, word: 0 });
  }

  /** A sequence that is not known: its escapes, and its text. */
  unknown(sequence: string) {
    for (const { text, kind } of piecesOf(sequence)) {
      if (kind === "escaped") this.escape(text);
      else this.write(text);
    }
  }

  move(by: string) {
    if (by === "\n") {
      if (this.row === this.rows.length - 1) this.rows.push([]);
      this.goTo(this.row + 1, 0);
    } else this.column = by === "\\r" ? 0 : Math.max(0, this.column - 1);
  }

  /** Does what a sequence says; false if it is not known. */
  control(mode: boolean, args: string, final: string): boolean {
    // What is switched on and off (a cursor that is hidden, a second screen) has nothing to show.
    if (mode) return final === "h" || final === "l";
    if (final === "m") {
      this.style = restyled(this.style, args);
      return true;
    }
    const [first, second] = args.split(";").map((arg) => (arg === "" ? undefined : Number(arg)));
    return this.goes(first || 1, second || 1, final) || this.erases(first ?? 0, final);
  }

  private goes(n: number, m: number, final: string): boolean {
    const { row, column } = this;
    if (final === "A") this.goTo(row - n, column);
    else if (final === "B") this.goTo(row + n, column);
    else if (final === "C") this.goTo(row, column + n);
    else if (final === "D") this.goTo(row, column - n);
    else if (final === "E") this.goTo(row + n, 0);
    else if (final === "F") this.goTo(row - n, 0);
    else if (final === "G") this.goTo(row, n - 1);
    else if (final === "d") this.goTo(this.top + n - 1, column, ROWS);
    else if (final === "H" || final === "f") this.goTo(this.top + n - 1, m - 1, ROWS);
    else if (final === "s") this.saved = { row, column };
    else if (final === "u") this.goTo(this.saved.row, this.saved.column);
    else return false;
    return true;
  }

  private erases(n: number, final: string): boolean {
    const row = this.here();
    if (final === "K" && n === 0) row.length = Math.min(row.length, this.column);
    else if (final === "K" && n === 2) row.length = 0;
    else if (final === "K" && n === 1) row.fill(BLANK, 0, this.column + 1);
    else if (final === "J" && n === 0) {
      row.length = Math.min(row.length, this.column);
      this.rows.length = this.row + 1;
    } else if (final === "J" && (n === 2 || n === 3)) this.clear();
    else if (final === "P") row.splice(this.column, n || 1);
    else if (final === "X") row.fill(BLANK, this.column, this.column + (n || 1));
    else return false;
    return true;
  }

  /** A cleared window begins below what was there. */
  private clear() {
    if (this.rows.slice(this.top).every((row) => row.length === 0)) return;
    this.top = this.rows.length;
    this.rows.push([]);
    this.row = this.top;
  }

  /** Goes to a row, and to at most so many that are not there yet. */
  private goTo(row: number, column: number, further = 0) {
    const wanted = Math.max(this.top, row);
    const most = this.rows.length - 1 + further;
    const to = wanted <= most ? wanted : this.rows.length - 1;
    while (this.rows.length <= to && this.spare > 0) {
      this.rows.push([]);
      this.spare -= 1;
    }
    this.row = Math.min(to, this.rows.length - 1);
    this.column = Math.max(0, Math.min(column, Math.max(COLUMNS, this.here().length)));
  }

  private here(): Cell[] {
    return this.rows[this.row] ?? [];
  }

  private put(cell: Cell) {
    const row = this.here();
    const gap = Math.min(this.column - row.length, this.spare);
    if (gap > 0) {
      this.spare -= gap;
      for (let i = 0; i < gap; i += 1) row.push(BLANK);
    }
    this.column = Math.min(this.column, row.length);
    row[this.column] = cell;
    this.column += 1;
  }

  runs(): Run[] {
    const found: Run[] = [];
    const add = ({ text, style, escaped }: Run) => {
      const last = found.at(-1);
      if (last && !escaped && !last.escaped && last.style === style) last.text += text;
      else found.push({ text, style, escaped });
    };
    this.rows.forEach((row, at) => {
      if (at > 0) add({ text: "\n", style: found.at(-1)?.style ?? PLAIN, escaped: false });
      for (const run of honest(row, this.words)) add(run);
    });
    return found;
  }
}

/**
 * A row with the letters beyond ASCII escaped in words that are not as they were written. The host judged whole words: half
 * of one, left by what was written over the rest, may look like another.
 */
function* honest(row: Cell[], words: number[]): Generator<Run> {
  for (let from = 0, to = 0; from < row.length; from = to) {
    const word = row[from]?.word ?? 0;
    while (to < row.length && row[to]?.word === word) to += 1;
    const whole = word === 0 || to - from === words[word];
    for (const cell of row.slice(from, to)) {
      if (whole || /^[\0-\x7f]*$/.test(cell.text)) yield cell;
      else for (const one of cell.text) yield { ...cell, text: escapeOf(one), escaped: true };
    }
  }
}

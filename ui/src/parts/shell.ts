// Shell text in lines, and where its here-documents are.

import type { Piece } from "../contract";

const NEWLINE = "\\n";
const TAB = "\\t";

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

/**
 * Returns the lines with the long bodies of here-documents set apart. Where the reading is in doubt, every line is a line.
 *
 * @param long  number of lines of a body that is not long yet
 */
export function blocksOf(pieces: Piece[], long = 8): Block[] {
  const lines = linesOf(pieces);
  const texts = lines.map((line) =>
    line.map((piece) => (piece.kind !== "escaped" ? piece.text : isTab(piece) ? "\t" : "\ufffd")).join(""),
  );
  const blocks: Block[] = [];
  const reader = new Reader();
  for (let at = 0; at < lines.length; at += 1) {
    blocks.push({ line: lines[at] ?? [] });
    for (const { word, dash } of reader.read(texts[at] ?? "")) {
      const bare = (text: string) => (dash ? text.replace(/^\t+/, "") : text);
      const end = texts.findIndex((text, later) => later > at && bare(text) === word);
      if (end < 0) return lines.map((line) => ({ line }));
      const body = lines.slice(at + 1, end);
      if (body.length > long) blocks.push({ body });
      else blocks.push(...body.map((line) => ({ line })));
      blocks.push({ line: lines[end] ?? [] });
      at = end;
    }
  }
  return blocks;
}

const HERE = /<<(?<dash>-?)[ \t]*(?:'(?<single>[^']+)'|"(?<double>[^"]+)"|\\?(?<bare>[\w.+-]+))/y;

/** Reads shell text a line at a time for the here-documents that begin on it: not in quotes, not in a comment. */
class Reader {
  /** What is open: quotes, and substitutions, in which quotes begin again. */
  private readonly open: string[] = [];
  /** Whether something was met that ends in other ways than what is read here. */
  private doubt = false;

  read(line: string): { word: string; dash: boolean }[] {
    const found = [];
    for (let at = 0; at < line.length && !this.doubt;) {
      HERE.lastIndex = at;
      const here = this.quoted() ? null : HERE.exec(line)?.groups;
      if (here && line[at + 2] !== "<") {
        found.push({ word: here.single ?? here.double ?? here.bare ?? "", dash: here.dash === "-" });
        at = HERE.lastIndex;
      } else at += this.step(line, at);
    }
    return this.doubt ? [] : found;
  }

  private quoted(): boolean {
    return /['"]/.test(this.open.at(-1) ?? "");
  }

  /** Goes on by what stands here, and returns its length. */
  private step(line: string, at: number): number {
    const c = line[at] ?? "";
    const within = this.open.at(-1);
    if (within === "'") {
      if (c === "'") this.open.pop();
      return 1;
    }
    if (c === "\\") return 2;
    if (c === "`" || line.startsWith("$'", at)) this.doubt = true;
    else if (line.startsWith("$(", at)) {
      this.open.push("(");
      return 2;
    } else if (c === '"') {
      if (within === '"') this.open.pop();
      else this.open.push(c);
    } else if (within === '"') return 1;
    else if (c === "'" || c === "(") this.open.push(c);
    else if (c === ")" && within === "(") this.open.pop();
    else if (line.startsWith("<<<", at)) return 3;
    else if (c === "#" && /^$|[\s;&|(]/.test(line[at - 1] ?? "")) return line.length;
    return 1;
  }
}

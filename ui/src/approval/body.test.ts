import { expect, it } from "vitest";
import type { BodyLines, CommandPart, Piece } from "../contract";
import { withBodies } from "./body";
import { hides, isFold } from "./fold";
import { plain } from "./shown";

/** Pieces of a text with real line ends, as the app escapes them. */
const pieces = (text: string): Piece[] =>
  text
    .split(/(\n)/)
    .filter((part) => part !== "")
    .map((part) => (part === "\n" ? { text: "\\n", kind: "escaped" } : { text: part, kind: "plain" }));
const parts = (...texts: string[]): CommandPart[] =>
  texts.map((text, step) => ({ role: "argument", step, text: pieces(text) }));

/** What a person reads, with the folds as they are drawn. */
const read = (command: CommandPart[], ...bodies: BodyLines[]) =>
  withBodies(command, bodies)
    .flat()
    .map((one) => (isFold(one) ? `{${one.count}}` : plain(one.pieces)))
    .join("");
const body = (n: number) => Array.from({ length: n }, (_, at) => `line ${at}\n`).join("");

it("a body of more than three lines is its first line and a fold", () => {
  const long = parts("cat <<EOF", `\n${body(4)}EOF\nls`);
  expect(read(long, { first: 1, count: 4 })).toBe("cat <<EOF\\nline 0{3}\\nEOF\\nls");
  const short = parts("cat <<EOF", `\n${body(3)}EOF`);
  expect(read(short, { first: 1, count: 3 })).toBe("cat <<EOF\\nline 0\\nline 1\\nline 2\\nEOF");
});

it("several fold each, wherever their part begins", () => {
  const command = parts("x\n", `a <<A <<B\n${body(5)}A\n${body(6)}B\n`);
  const shown = read(command, { first: 2, count: 5 }, { first: 8, count: 6 });
  expect(shown).toBe("x\\na <<A <<B\\nline 0{4}\\nA\\nline 0{5}\\nB\\n");
});

it("what is folded is read only when it is open, and no word is lost", () => {
  const command = parts(`python3 - <<'EOF'\n${body(7)}EOF`);
  for (const second of [5, 7]) {
    const bodies = [
      { first: 1, count: 7 },
      { first: 8 - second, count: second },
    ];
    const shown = withBodies(command, bodies).flat();
    expect(shown.filter(hides)).toHaveLength(1);
    const all = shown.flatMap((one) => (isFold(one) ? one.words : [one]));
    expect(all.map((word) => plain(word.pieces)).join("")).toBe(plain(command[0]?.text ?? []));
  }
});

it("what looks like a body is none by itself", () => {
  expect(read(parts(`cat <<EOF\n${body(4)}EOF`))).not.toContain("{");
});

it("lines of several parts, and lines that are not there, fold nothing", () => {
  const step = parts("cat <<EOF\na\nb $(", "rm x", ")\nc\nd\ne\nEOF");
  expect(read(step, { first: 1, count: 5 })).not.toContain("{");
  expect(read(step, { first: 3, count: 9 }, { first: 99, count: 4 })).not.toContain("{");
});

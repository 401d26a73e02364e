import { expect, it } from "vitest";
import type { CommandPart, Piece } from "../contract";
import { bodiesOf, withBodies } from "./body";
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
const read = (command: CommandPart[]) =>
  withBodies(command, bodiesOf(command))
    .flat()
    .map((one) => (isFold(one) ? `{${one.count}}` : plain(one.pieces)))
    .join("");
const body = (n: number) => Array.from({ length: n }, (_, at) => `line ${at}\n`).join("");

it("a body of more than three lines is its first line and a fold", () => {
  expect(read(parts("cat <<EOF", `\n${body(4)}EOF\nls`))).toBe("cat <<EOF\\nline 0{3}\\nEOF\\nls");
  expect(read(parts("cat <<EOF", `\n${body(3)}EOF`))).toBe("cat <<EOF\\nline 0\\nline 1\\nline 2\\nEOF");
});

it("several fold each, wherever their part begins", () => {
  const two = `a <<A <<B\n${body(5)}A\n${body(6)}B\n`;
  expect(read(parts("x\n", two))).toBe("x\\na <<A <<B\\nline 0{4}\\nA\\nline 0{5}\\nB\\n");
});

it("what is folded is read only when it is open, and no word is lost", () => {
  const command = parts(`python3 - <<'EOF'\n${body(7)}EOF`);
  const shown = withBodies(command, bodiesOf(command)).flat();
  expect(shown.filter(hides)).toHaveLength(1);
  const all = shown.flatMap((one) => (isFold(one) ? one.words : [one]));
  expect(all.map((word) => plain(word.pieces)).join("")).toBe(plain(command[0]?.text ?? []));
});

it("a body with a step in it is shown, as is what may be no body", () => {
  const step = parts("cat <<EOF\na\nb $(", "rm x", ")\nc\nd\ne\nEOF");
  expect(read(step)).not.toContain("{");
  for (const doubt of [
    "echo '<<EOF'\na\nb\nc\nd\nEOF",
    "cat <<EOF\na\nb\nc\nd",
    "echo $'\\'' <<EOF\na\nb\nc\nd\nEOF",
  ])
    expect(read(parts(doubt))).not.toContain("{");
});

import { describe, expect, it } from "vitest";
import { piecesOf } from "./escaped";
import { blocksOf, copied, linesOf } from "./shell";

/** The pieces of shell text, as the host escapes it. */
const pieces = (text: string) =>
  piecesOf(text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\t", "\\t"));
const body = (n: number) => Array.from({ length: n }, (_, i) => `line ${i}\n`).join("");

it("a line end ends a line, and what was typed as one does not", () => {
  expect(linesOf(pieces("a\\nb\nc"))).toEqual([
    [{ text: "a\\nb", kind: "plain" }],
    [{ text: "c", kind: "plain" }],
  ]);
});

it("what is copied has its line ends and tabs, and no other control character", () => {
  expect(copied(pieces("a\n\tb"))).toBe("a\n\tb");
  expect(copied(piecesOf("a\\u{1b}\\rb"))).toBe("a\\u{1b}\\rb");
});

describe("here-documents", () => {
  const text = `a\ncat <<E <<F\n${body(3)}E\n${body(12)}F\nz\n`;
  /** The blocks of the text, each fold as its number of lines. */
  const shown = (...bodies: [first: number, count: number][]) =>
    blocksOf(
      pieces(text),
      bodies.map(([first, count]) => ({ first, count })),
    ).map((block) => ("body" in block ? block.body.length : block.line.map((piece) => piece.text).join("")));

  it("the long ones fold, and the short ones do not", () => {
    expect(shown([2, 3], [6, 12])).toEqual([
      "a",
      "cat <<E <<F",
      "line 0",
      "line 1",
      "line 2",
      "E",
      12,
      "F",
      "z",
      "",
    ]);
    expect(shown([6, 8])).not.toContain(8);
    expect(shown([6, 9])).toContain(9);
  });

  it("what looks like one is none by itself, nor are lines that are not there", () => {
    const whole = linesOf(pieces(text)).length;
    expect(shown()).toHaveLength(whole);
    expect(shown([6, 99], [99, 12], [-1, 12], [6.5, 12])).toHaveLength(whole);
  });

  it("no line is lost, whichever are folded", () => {
    const bodies = [
      { first: 6, count: 12 },
      { first: 8, count: 10 },
    ];
    const all = blocksOf(pieces(text), bodies).flatMap((block) =>
      "body" in block ? block.body : [block.line],
    );
    expect(all).toEqual(linesOf(pieces(text)));
  });
});

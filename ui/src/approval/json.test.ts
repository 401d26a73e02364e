import { describe, expect, it } from "vitest";
import { layOut } from "./json";

const rows = (text: string) =>
  layOut([{ text, escaped: false }]).map(
    ({ depth, pieces }) => " ".repeat(depth) + pieces.map((piece) => piece.text).join(""),
  );

describe("a tool's arguments", () => {
  it("stand a member to a row", () => {
    expect(rows(' {"path":"a.md","tags":["x","y"],"none":{},"n":[]}')).toEqual([
      "{",
      ' "path": "a.md",',
      ' "tags": [',
      '  "x",',
      '  "y"',
      " ],",
      ' "none": {},',
      ' "n": []',
      "}",
    ]);
  });

  it("are not parted inside a string, whatever it holds", () => {
    expect(rows('{"a":"{\\"b\\":[1,2]}\\\\","c":1}')).toEqual([
      "{",
      ' "a": "{\\"b\\":[1,2]}\\\\",',
      ' "c": 1',
      "}",
    ]);
  });

  it("lose nothing and keep escapes apart", () => {
    const pieces = [
      { text: '{"a":"x', escaped: false },
      { text: "U+202E", escaped: true },
      { text: ',{","b":tru', escaped: false },
    ];
    const laid = layOut(pieces).flatMap((row) => row.pieces);
    expect(laid.filter((piece) => piece.escaped)).toEqual([{ text: "U+202E", escaped: true }]);
    expect(
      laid
        .map((piece) => piece.text)
        .join("")
        .replaceAll(" ", ""),
    ).toBe('{"a":"xU+202E,{","b":tru');
  });
});

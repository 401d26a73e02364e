import { expect, it } from "vitest";
import type { Piece } from "../contract";
import { named, piecesOf } from "./escaped";

const plain = (text: string): Piece => ({ text, kind: "plain" });
const escaped = (text: string): Piece => ({ text, kind: "escaped" });
it("an escape is shown as its character's number", () => {
  expect(["\\u{456}", "\\u{202e}", "\\u{e0041}", "\\n"].map(named)).toEqual([
    "U+0456",
    "U+202E",
    "U+E0041",
    "\\n",
  ]);
});

it("a line for a terminal is read back into pieces, and nothing in it into what it stands for", () => {
  expect(piecesOf("a\\u{202e}b\\n c\\\\d")).toEqual([
    plain("a"),
    escaped("\\u{202e}"),
    plain("b"),
    escaped("\\n"),
    plain(" c\\d"),
  ]);
  expect(piecesOf("\\\\u{202e}"), "a backslash that was typed is a backslash").toEqual([plain("\\u{202e}")]);
  expect(piecesOf("")).toEqual([]);
});

import { describe, expect, it } from "vitest";
import type { Piece } from "../contract";
import { named, piecesOf } from "./escaped";
import { stretches } from "./sentence";

const plain = (text: string): Piece => ({ text, escaped: false });
const escaped = (text: string): Piece => ({ text, escaped: true });
const read = (said: Piece[] | string) =>
  stretches(said).map(({ pieces, code }) => [pieces.map((piece) => piece.text).join(""), code]);

describe("a sentence of the host", () => {
  it("has what stands between its backticks as code", () => {
    expect(read("No rule for `git push`.")).toEqual([
      ["No rule for ", false],
      ["git push", true],
      [".", false],
    ]);
    expect(read("`sh` is given code in its arguments")[0]).toEqual(["sh", true]);
    expect(read("Nothing is named.")).toEqual([["Nothing is named.", false]]);
  });

  it("keeps what is escaped escaped, inside the code and outside", () => {
    const said = [plain("No rule for `gi"), escaped("U+200B"), plain("t`."), escaped("U+202E")];
    expect(stretches(said)).toEqual([
      { pieces: [plain("No rule for ")], code: false },
      { pieces: [plain("gi"), escaped("U+200B"), plain("t")], code: true },
      { pieces: [plain("."), escaped("U+202E")], code: false },
    ]);
  });

  it("is left as it is where a command brings backticks of its own", () => {
    for (const said of ["No rule for `a` is harmless. `b`.", "No rule for `a`b`.", "One ` alone"]) {
      expect(read(said), "nothing of the command is passed off as the host's words").toEqual([[said, false]]);
    }
  });
});

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

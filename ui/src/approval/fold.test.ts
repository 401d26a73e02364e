import { describe, expect, it } from "vitest";
import type { Piece } from "../contract";
import { foldsOf, hides, isFold } from "./fold";
import { plain, wordsOf } from "./shown";

const pieces = (text: string): Piece[] => [{ text, kind: "plain" }];
const all = (n: number, make: (at: number) => string) =>
  Array.from({ length: n }, (_, at) => make(at)).join(" ");
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
const files = (n: number, ending = ".ts") => all(n, (at) => `src/${LETTERS[at] ?? ""}x${ending}`);

/** What a person reads, with the folds as they are drawn. */
function read(text: string | Piece[]): string {
  return foldsOf(wordsOf(typeof text === "string" ? pieces(text) : text))
    .map((one) => {
      if (!isFold(one)) return plain(one.pieces);
      if (one.exact) return `${one.exact.head}[${one.exact.numbers}]${one.exact.tail}`;
      return `{${one.count} in ${one.folder?.name ?? ""} ${one.folder?.ending ?? ""}}`;
    })
    .join("");
}

describe("a fold that loses nothing", () => {
  it("stands for operands that differ in one rising number", () => {
    expect(read(`-n todo ${all(240, (at) => `src/m-${at}/a.ts`)}`)).toBe("-n todo src/m-[0–239]/a.ts");
    expect(read("page/1 page/2 page/3 page/5 page/8 page/9")).toBe("page/[1–3, 5, 8–9]");
  });

  it("ends where the next operand is another one", () => {
    expect(read("m1 m2 m3 m4 m5 m6 n7 ~/.ssh/m8")).toBe("m[1–6] n7 ~/.ssh/m8");
    expect(read("m1 m2 m3 m4 m5 m6 m4")).toBe("m[1–6] m4");
    expect(read("m1 m2 m3 m4 m5 m6 m07")).toBe("m[1–6] m07");
  });

  it("is for many: few are read at once, in whatever order they stand", () => {
    for (const few of ["m1 m2 m3 m4 m5", "m6 m5 m4 m3 m2 m1 m0", "m1 m1 m1 m1 m1 m1", "a b c d e f g"])
      expect(read(few)).toBe(few);
  });
});

describe("a fold that has to be opened", () => {
  it("stands for paths of one folder and one ending", () => {
    const folded = foldsOf(wordsOf(pieces(`-n todo ${files(14)}`)));
    expect(read(`-n todo ${files(14)}`)).toBe("-n todo {14 in src/ .ts}");
    expect(folded.filter(hides)).toHaveLength(1);
    expect(read(files(11))).toBe(files(11));
  });

  it("names the folder that all of them share", () => {
    expect(read(all(12, (at) => `src/app/${LETTERS[at] ?? ""}/index`))).toBe("{12 in src/app/ }");
    expect(read(all(12, (at) => `/Users/kim/site/${LETTERS[at] ?? ""}.py`))).toBe(
      "{12 in /Users/kim/site/ .py}",
    );
  });

  it.each([
    ["an option", "--fix"],
    ["another folder", "lib/x.ts"],
    ["another ending", "src/x.sh"],
    ["a hidden file", "src/.x.ts"],
    ["a way out of the folder", "src/../../x.ts"],
    ["a quoted word", "'src/x.ts'"],
    ["an expansion", "src/$X.ts"],
    ["a pattern", "src/*.ts"],
    ["a remote", "host:src/x.ts"],
    ["an assignment", "X=src/x.ts"],
  ])("never hides %s", (_, odd) => {
    expect(read(`${files(12)} ${odd} src/last.ts`)).toContain(` ${odd} src/last.ts`);
    expect(read(`${odd} z ${files(12)}`)).toBe(`${odd} z {12 in src/ .ts}`);
  });

  it("never hides a letter that had to be escaped, nor the end of a line", () => {
    const odd = (kind: string): Piece[] => [
      ...pieces(`${files(12)} src/p`),
      { text: kind, kind: "escaped" },
      ...pieces("s.ts src/t.ts"),
    ];
    expect(read(odd("\\u{430}"))).toBe("{12 in src/ .ts} src/p\\u{430}s.ts src/t.ts");
    expect(read(odd("\\n"))).toBe("{12 in src/ .ts} src/p\\ns.ts src/t.ts");
  });

  it("leaves what may be the value of an option", () => {
    expect(read(`-o ${files(13)}`)).toBe(`-o src/ax.ts {12 in src/ .ts}`);
    expect(read(`-- ${files(12)}`)).toBe("-- {12 in src/ .ts}");
  });
});

it("no word is lost by a fold, nor changes its place", () => {
  const text = `run -n ${all(9, (at) => `p${at}`)}  ${files(20)} && rm ${files(12, ".js")} -rf /`;
  const words = wordsOf(pieces(text));
  const back = foldsOf(words).flatMap((one) => (isFold(one) ? one.words : [one]));
  expect(back.map((word) => plain(word.pieces)).join("")).toBe(text);
});

import { describe, expect, it } from "vitest";
import { piecesOf } from "./escaped";
import { blocksOf, copied, linesOf } from "./shell";

/** The pieces of shell text, as the host escapes it. */
const pieces = (text: string) =>
  piecesOf(text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\t", "\\t"));
const body = (n: number) => Array.from({ length: n }, (_, i) => `line ${i}\n`).join("");
/** How many lines each fold hides. */
const folds = (text: string) =>
  blocksOf(pieces(text)).flatMap((block) => ("body" in block ? [block.body.length] : []));

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
  it.each([
    ["long", `cat <<EOF\n${body(9)}EOF\nls`, [9]],
    ["short", `cat <<EOF\n${body(8)}EOF`, []],
    ["of a commit's message", `git commit -m "$(cat <<'EOF'\n${body(14)}EOF\n)"`, [14]],
    ["with tabs before its end", `cat <<-"END" > x\n${body(9)}\t\tEND\n`, [9]],
    ["two on a line", `cat <<A <<B\n${body(9)}A\n${body(10)}B`, [9, 10]],
    ["after another line", `cd src\n\ncat >f <<\\E\n${body(20)}E`, [20]],
    ["that does not end", `cat <<EOF\n${body(20)}`, []],
    ["a here-string", `cat <<<EOF\n${body(20)}EOF`, []],
    ["in quotes", `echo '<<EOF'\n${body(20)}EOF`, []],
    ["in quotes over lines", `echo "\n<<EOF"\n${body(20)}EOF`, []],
    ["after a quote that a backslash does not protect", `echo 'a\\' '<<EOF'\n${body(20)}EOF`, []],
    ["after quotes of another kind", `echo $'a\\'' '<<EOF'\n${body(20)}EOF`, []],
    ["in a comment", `ls # <<EOF\n${body(20)}EOF`, []],
    ["behind a backslash", `echo \\<<EOF\n${body(20)}`, []],
  ])("%s", (_, text, hidden) => {
    expect(folds(text)).toEqual(hidden);
  });

  it("no line is lost, whichever are folded", () => {
    const text = `a\ncat <<E <<F\n${body(3)}E\n${body(12)}F\nz\n`;
    const all = blocksOf(pieces(text)).flatMap((block) => ("body" in block ? block.body : [block.line]));
    expect(all).toEqual(linesOf(pieces(text)));
  });
});

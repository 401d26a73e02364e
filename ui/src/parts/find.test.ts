import { expect, it } from "vitest";
import { find } from "./find";
import { terminal } from "./terminal";

const found = (output: string, search: string) =>
  find(terminal(output), search).map(({ text, hit }) => [text, hit]);

it("text is found across colours, in either case, and numbered", () => {
  expect(found("a \\u{1b}[31mTO\\u{1b}[0mdo, todo", "todo")).toEqual([
    ["a ", 0],
    ["TO", 1],
    ["do", 1],
    [", ", 0],
    ["todo", 2],
  ]);
});

it("what is searched for is text, and escapes are not searched", () => {
  expect(found("a.b axb", "a.b")).toEqual([
    ["a.b", 1],
    [" axb", 0],
  ]);
  expect(found("u\\u{202e}u", "u")).toEqual([
    ["u", 1],
    ["\\u{202e}", 0],
    ["u", 2],
  ]);
  expect(found("none", "  ")).toEqual([["none", 0]]);
});

import { expect, it } from "vitest";
import type { Piece } from "../contract";
import { meaningOf } from "./meaning";

const pieces = (text: string): Piece[] => [{ text, kind: "plain" }];
const question = { cwd: pieces("/Users/kim/Projects/site"), branch: pieces("fix/login") };
/** What each word after the program stands for. */
const read = (line: string) => {
  const tokens = line.split(" ");
  return tokens.slice(1).map((_, i) => meaningOf(tokens, i + 1, question));
};

it("git's remote and branches are named, also after options that take no word", () => {
  expect(read("git push origin main")).toEqual([null, "remote", "branch"]);
  expect(read("git push --force -u origin fix/x v2")).toEqual([
    null,
    null,
    null,
    "remote",
    "branch",
    "branch",
  ]);
  expect(read("git fetch https://example.com/a.git main")).toEqual([null, "address", "branch"]);
});

it("where an option may take the next word, nothing after it is named", () => {
  expect(read("git push -o ci.skip origin main")).toEqual([null, null, null, null, null]);
  expect(read("git commit -m x")).toEqual([null, null, null]);
  expect(read("git push --repo elsewhere main")).toEqual([null, null, null, null]);
});

it("addresses, folders and paths are told by their letters, and the branch by the question", () => {
  expect(read("curl -sSL https://example.com/page/1")).toEqual([null, "address"]);
  expect(read("scp a.txt git@example.com:site")).toEqual([null, "address"]);
  expect(read("ls . src/ /Users/kim/Projects/site ~")).toEqual(["folder", "folder", "folder", "folder"]);
  expect(read("cat /etc/hosts ./a ~/b src/a.ts")).toEqual(["path", "path", "path", "path"]);
  expect(read("git checkout fix/login")).toEqual([null, "branch"]);
  expect(read("npm run build:css")).toEqual([null, null]);
  expect(read("sed s/a/b/ s/a/b.c docker/image")).toEqual([null, null, null]);
});

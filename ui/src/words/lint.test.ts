// Every text of the windows, held to the copy rules of CONTRIBUTING.md.

import { parse } from "svelte/compiler";
import { describe, expect, it } from "vitest";
import instead from "./instead.json";

const files = import.meta.glob<string>(["./*.ts", "../words.ts", "!./*.test.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const pages = import.meta.glob<string>("../**/*.svelte", { query: "?raw", import: "default", eager: true });

/** Characters of a sentence. */
const LONGEST = 60;

/** What is wrong only in a window. */
const HERE: [RegExp, string][] = [
  [/\b(this|your) (computer|Mac)\b/i, "${computer}"],
  [/\bnobody\b/i, "name the actor"],
  [/[a-z]'[a-z]/i, "the apostrophe ’"],
];

/** The texts of a file: what stands in quotes, without what is filled in. */
function texts(source: string): string[] {
  const code = source.replace(/^\s*\/\/.*$/gm, "").replace(/\/\*[\s\S]*?\*\//g, "");
  const found = code.matchAll(/"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g);
  const all = [...found].map((match) => (match[1] ?? match[2] ?? "").replace(/\$\{[^}]*\}/g, "…"));
  return all.filter((text) => !/^\.{1,2}\//.test(text));
}

/** What is wrong with a text. */
function faults(text: string): string[] {
  const words = ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ")} `;
  const better = Object.entries(instead).flatMap(([word, better]) =>
    words.includes(` ${word} `) ? [better] : [],
  );
  better.push(...HERE.flatMap(([wrong, better]) => (wrong.test(text) ? [better] : [])));
  const long = text.split(/(?<=[.:;?!]) /).filter((sentence) => [...sentence].length > LONGEST);
  better.push(...long.map((sentence) => `${[...sentence].length} characters: ${sentence}`));
  return better.map((one) => `“${text}”: ${one}`);
}

/** Names and examples, which are the same in every language. */
const SAMPLES = ["Postern", "git push", "origin main", "~/Projects/site", "~/skills"];
/** Attributes that a person reads or hears. */
const READ = ["aria-label", "title", "placeholder", "alt", "label"];

/** What a page says by itself: text in its markup. */
function own(node: unknown): string[] {
  if (typeof node !== "object" || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(own);
  const { type, name, data } = node as { type?: string; name?: string; data?: string };
  if (type === "Text" && data && /\p{L}{2}/u.test(data)) return [data.trim()];
  const isRead = type !== "Attribute" || READ.includes(name ?? "");
  if (!isRead || /Directive$/.test(type ?? "")) return [];
  return Object.values(node).flatMap(own);
}

const ownOf = (source: string) => own(parse(source, { modern: true }).fragment);

describe("the words of the windows", () => {
  it.each(Object.entries(files))("%s", (_, source) => {
    expect(texts(source).flatMap(faults)).toEqual([]);
  });

  it.each(Object.entries(pages))("%s has none of its own", (_, source) => {
    expect(ownOf(source).filter((text) => !SAMPLES.includes(text))).toEqual([]);
  });

  it("are looked at at all", () => {
    expect(Object.values(files).flatMap(texts).length).toBeGreaterThan(400);
    expect(Object.keys(pages).length).toBeGreaterThan(80);
    expect(faults("Nothing runs on this machine without a yes.")).toHaveLength(2);
    expect(faults(`Short. ${"too long ".repeat(7)}`)).toHaveLength(1);
    expect(texts('const x = { a: "one", b: (n: number) => `two ${n}` };')).toEqual(["one", "two …"]);
    expect(ownOf('<p title="Two">One {words.x}</p>')).toEqual(["Two", "One"]);
  });
});

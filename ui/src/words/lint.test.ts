// Every text of the windows, held to the copy rules of CONTRIBUTING.md.

import { describe, expect, it } from "vitest";

const files = import.meta.glob<string>(["./*.ts", "!./*.test.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Words that say it in a quaint, vague or British way, with what to say instead. */
const INSTEAD: [RegExp, string][] = [
  [/\bmend(s|ed)?\b/i, "fix"],
  [/\banew\b/i, "again"],
  [/\ba yes\b/i, "approval"],
  [/\bfor good\b/i, "always"],
  [/\bthe like\b/i, "etc."],
  [/\bone a line\b/i, "one per line"],
  [/\b(without a question|unasked)\b/i, "silently"],
  [/\b(this|your) (machine|computer|Mac)\b/i, "${computer}"],
  [/\b(whoever|whatever|nobody)\b/i, "name the actor"],
  [/\b(on duty|none where|behind which|taken back|lately|seldom|heard|told)\b/i, "the usual term"],
  [
    /\b(way out|of high risk|faces?|outwards?|speaks against|can change things)\b/i,
    "the word of docs/GLOSSARY.md",
  ],
  [/\bNo rule for\b/, "You haven’t allowed …"],
  [/colour|organis|licence|behaviour|cancell(?!ed)|recognis/i, "US spelling"],
  [/[a-z]'[a-z]/i, "the apostrophe ’"],
];

/** The texts of a file: what stands in quotes, without what is filled in. */
function texts(source: string): string[] {
  const code = source.replace(/^\s*\/\/.*$/gm, "").replace(/\/\*[\s\S]*?\*\//g, "");
  const found = code.matchAll(/"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g);
  const all = [...found].map((match) => (match[1] ?? match[2] ?? "").replace(/\$\{[^}]*\}/g, "…"));
  return all.filter((text) => !text.startsWith("./"));
}

/** What is wrong with a text. */
const faults = (text: string) =>
  INSTEAD.filter(([word]) => word.test(text)).map(([, better]) => `“${text}”: ${better}`);

describe("the words of the windows", () => {
  it.each(Object.entries(files))("%s", (_, source) => {
    expect(texts(source).flatMap(faults)).toEqual([]);
  });

  it("are looked at at all", () => {
    expect(Object.values(files).flatMap(texts).length).toBeGreaterThan(400);
    expect(faults("Nothing runs on this machine without a yes.")).toHaveLength(2);
    expect(texts('const x = { a: "one", b: (n: number) => `two ${n}` };')).toEqual(["one", "two …"]);
  });
});

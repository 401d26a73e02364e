// What stands on buttons and in menus: in title case, and short.

import { expect, it } from "vitest";

/** The modules of words, each an object of texts by name. */
const modules = import.meta.glob<Record<string, unknown>>(["./*.ts", "!./*.test.ts"], { eager: true });
const pages = import.meta.glob<string>("../**/*.svelte", { query: "?raw", import: "default", eager: true });

/** Characters on a button. */
const LONGEST = 40;
/** Words that stay small inside of a title. */
const SMALL = new Set("a an and as at but by for from in into of on or over the to until with".split(" "));

/** The names of texts that are all that a button or an item of a menu says. */
const NAMES = [
  /<button[^<]*?>\s*\{([\w.]+)\}\s*<\/button/g,
  /\btext: ([\w.]+),\s*act\b/g,
  /\bact=\{([\w.]+)\}/g,
];

/** Every text under a name: `words.rules.add` is any `add` of any `rules`. */
function textsOf(name: string): string[] {
  const path = name.split(".").slice(1);
  const found: string[] = [];
  const visit = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    const at = path.reduce<unknown>(
      (one, key) =>
        typeof one === "object" && one !== null ? (one as Record<string, unknown>)[key] : undefined,
      value,
    );
    if (typeof at === "string") found.push(at);
    Object.values(value).forEach(visit);
  };
  Object.values(modules).forEach(visit);
  return [...new Set(found)];
}

/** Whether every word of a label but the small ones begins with a capital. What stands in quotes is a name. */
function isTitle(label: string): boolean {
  const words = label
    .replace(/“[^”]*”/g, "")
    .split(/\s+/)
    .filter((word) => /^\p{L}/u.test(word));
  return words.every((word, at) => /^\p{Lu}/u.test(word) || (at > 0 && SMALL.has(word.toLowerCase())));
}

it("is in title case, and short", () => {
  const names = new Set(
    Object.values(pages).flatMap((page) =>
      NAMES.flatMap((name) => [...page.matchAll(name)].map((match) => match[1] ?? "")),
    ),
  );
  const labels = [...names].filter((name) => name.includes(".")).flatMap(textsOf);
  expect(labels.length).toBeGreaterThan(30);
  expect(labels.filter((label) => !isTitle(label))).toEqual([]);
  expect(labels.filter((label) => label.length > LONGEST)).toEqual([]);
});

it("tells a title from a sentence", () => {
  expect(["Add Rule…", "Block All Agents for 1 Hour", "Export"].every(isTitle)).toBe(true);
  expect(["Clear search", "Show rule"].some(isTitle)).toBe(false);
});

// What makes a web view set a long word many times. WebKit takes seconds for it, where the browser of the other tests does not.

import { expect, it } from "vitest";

const files = import.meta.glob<string>(["./*.svelte", "../parts/*.svelte"], {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Grids that hold no text of an agent's, or whose column is as wide as its text: the name of a field. */
const OTHERS = [".left", ".capsules", ".avatar", "Subject.svelte dl"];

interface Grid {
  name: string;
  rules: string;
}

const grids: Grid[] = Object.entries(files).flatMap(([path, source]) => {
  const style = source.slice(source.indexOf("<style>") + "<style>".length);
  return [...style.matchAll(/([^{}]*)\{([^{}]*)\}/g)]
    .map(([, selector = "", rules = ""]) => ({
      name: `${path.replace(/.*\//, "")} ${selector.replace(/\/\*[^]*?\*\//g, "").trim()}`,
      rules,
    }))
    .filter(({ name, rules }) => /display: grid/.test(rules) && !OTHERS.some((one) => name.endsWith(one)));
});

it("looks at the grids", () => expect(grids.length).toBeGreaterThan(8));

it("no column of text has a least width, for which each letter of a word is set on a line of its own", () => {
  const named = /grid-template(-columns: |:[^;]*\/ )[^;]*minmax\(0, 1fr\)/;
  expect(grids.filter(({ rules }) => !named.test(rules)).map(({ name }) => name)).toEqual([]);
});

it("no grid puts its text on baselines, for which a word is set several times", () => {
  expect(grids.filter(({ rules }) => rules.includes("baseline")).map(({ name }) => name)).toEqual([]);
});

// What the tests of the pages share.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";
import type { RunOptions } from "axe-core";

/** How else people have their system look. Only the colors differ between these. */
const LOOKS = [
  { colorScheme: "light", contrast: "more" },
  { colorScheme: "dark", contrast: "no-preference" },
  { colorScheme: "dark", contrast: "more" },
] as const;

/** What moves has come to where it goes. */
export const settled = (page: Page) =>
  page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter((one) => one.effect?.getComputedTiming().iterations !== Infinity)
        .map((one) => one.finished),
    ).then(() => undefined),
  );

/** Nothing that keeps out people who hear the page or press keys, and nothing pale, however their system looks. */
export async function nothingSerious(page: Page) {
  expect(await serious(page)).toEqual([]);
}

/** What axe finds that would keep somebody out, with the places: everything in one look, and the colors in each. */
export async function serious(page: Page) {
  await settled(page);
  await page.emulateMedia({ reducedMotion: "reduce", colorScheme: "light", contrast: "no-preference" });
  const found = await violations(page);
  for (const look of LOOKS) {
    await page.emulateMedia(look);
    const pale = await violations(page, { runOnly: ["color-contrast", "link-in-text-block"] });
    found.push(...pale.map((one) => ({ ...one, look })));
  }
  await page.emulateMedia({ colorScheme: "light", contrast: "no-preference" });
  return found;
}

/** What axe finds beside the colors, which a smaller window does not change. */
export async function seriousInSize(page: Page) {
  return violations(page, { rules: { "color-contrast": { enabled: false } } });
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * What keeps people out, as axe finds it. The pages have no frames, so axe is put into the page itself, once, and no other page
 * is opened to gather what it found. What passes is not listed, elements are told by their text alone, and no style sheet is read
 * once more for what only a phone does, turning: each of these takes long.
 */
async function violations(page: Page, options: RunOptions = {}) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  const { violations } = await page.evaluate(
    (options) => (window as unknown as { axe: typeof import("axe-core") }).axe.run(document, options),
    { resultTypes: ["violations"], selectors: false, preload: false, ...options } satisfies RunOptions,
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => ({ id, nodes: nodes.map((node) => node.html) }));
}

/** Opens an agent's page. */
export async function openAgent(page: Page, name = "builder", query = "") {
  await page.goto(`/settings.html${query}`);
  await page
    .getByRole("navigation")
    .getByRole("button", { name: new RegExp(`^${name}`) })
    .click();
  await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
}

/** Turns to a part of an agent's page. */
export const turnTo = (page: Page, part: string) =>
  page.getByRole("radiogroup", { name: "Parts of this page" }).getByText(part, { exact: true }).click();

/** Opens an agent's rules. */
export async function openRules(page: Page, name = "builder", query = "") {
  await openAgent(page, name, query);
  await turnTo(page, "Rules");
}

/** A rule by its pattern: other rules may be remarked to be covered by it. */
export const rule = (page: Page, pattern: string) =>
  page.getByTestId("rule").filter({ has: page.locator(".pattern code", { hasText: pattern }) });
export const request = (page: Page, text: string) => page.getByTestId("request").filter({ hasText: text });

/** Nothing is wider than the window: no page scrolls sideways. */
export async function nothingSideways(page: Page) {
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll("main, .page, aside, section")]
      .filter((one) => one.scrollWidth > one.clientWidth + 1)
      .map((one) => `${one.tagName}.${one.className}`),
  );
  expect(wide).toEqual([]);
}

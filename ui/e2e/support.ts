// What the tests of the pages share.

import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/** Tells tests of what is seen in color: they alone are run in the dark as well. */
export const COLORS = "@colors";

/** Nothing that keeps out people who hear the page or press keys. */
export async function nothingSerious(page: Page) {
  await page.emulateMedia({ reducedMotion: "reduce" });
  expect(await serious(page)).toEqual([]);
}

/** What axe finds that would keep somebody out, with the places. */
export async function serious(page: Page) {
  // The pages have no frames: the page itself runs the checks, and no other is opened to gather them.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"] });
  const { violations } = await axe.analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => [id, nodes.map((node) => node.html)]);
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

/** A rule by its pattern: other rules may be remarked to be covered by it. */
export const rule = (page: Page, pattern: string) =>
  page.getByTestId("rule").filter({ has: page.locator(".pattern > code", { hasText: pattern }) });
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

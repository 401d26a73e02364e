// What the tests of the question share.

import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import type { Said } from "../src/backend/fake";
import type { Scene } from "../src/backend/samples";

/** Opens the page with one of the sample questions. */
export async function open(page: Page, scene: Scene, size = { width: 640, height: 700 }) {
  await page.setViewportSize(size);
  await page.goto(`/approval.html?scene=${scene}`);
  await expect(page.getByTestId("question")).toBeVisible();
}

/** What the page said to the app. */
export async function said(page: Page): Promise<Said> {
  const all = await page.evaluate(() => window.said);
  if (!all) throw new Error("the page has no fake behind it");
  return all;
}

/** Arming is over, or waits for the end to be seen: nothing changes its colour any more by itself. */
async function settled(page: Page) {
  const still = page
    .locator("[data-testid=arming][data-state=armed]")
    .or(page.getByRole("button", { name: /Scroll to the end/ }));
  await expect(still).not.toHaveCount(0);
}

/** What axe finds that would keep somebody out, with the places. */
export async function serious(page: Page) {
  await settled(page);
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => [id, nodes.map((node) => node.html)]);
}

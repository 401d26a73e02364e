// What the tests of the question share.

import { expect, type Page } from "@playwright/test";
import type { Said } from "../src/backend/fake";
import type { Scene } from "../src/backend/samples";
import { serious } from "./support";

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

/** What axe finds once arming is over or waits for the end to be seen: nothing changes its color any more by itself. */
export async function seriousInQuestion(page: Page) {
  const still = page
    .locator("[data-testid=arming][data-state=armed]")
    .or(page.getByRole("button", { name: /Scroll to the end/ }));
  await expect(still).not.toHaveCount(0);
  return serious(page);
}

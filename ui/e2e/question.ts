// What the tests of the question share.

import { expect, type Page } from "@playwright/test";
import type { Said } from "../src/backend/fake";
import type { Scene } from "../src/backend/samples";
import { serious } from "./support";

/** A scene of each kind, as `samples.ts` has them: the tests import none of the pages' code that reads JSON. */
export const kinds = [
  "push",
  "dangerous",
  "script",
  "hostile",
  "tool",
  "edited",
  "long",
  "files",
  "fetch",
  "mcp",
  "alike",
] as const satisfies Scene[];

/** Every scene. */
export const scenes = [
  ...kinds,
  "changeable",
  "input",
  "destructive",
  "uname",
  "commits",
  "tests",
  "remove",
  "heredoc",
  "edit",
  "known",
  "later",
  "queued",
  "everywhere",
  "everywhere-long",
  "everywhere-tool",
] as const satisfies Scene[];

/** The most of a screen that a question takes in these tests. */
const SCREEN = 700;

/** Opens the page with one of the sample questions, in a window of the height that it asks for, or of this one. */
export async function open(page: Page, scene: Scene, height?: number) {
  await page.setViewportSize({ width: 460, height: height ?? 300 });
  await page.goto(`/approval.html?scene=${scene}`);
  await expect(page.getByTestId("question")).toBeVisible();
  if (height === undefined) await fit(page);
}

/** Gives the window the height that the page asked for last, as the app does. Gives that height. */
export async function fit(page: Page): Promise<number> {
  let height = 0;
  await expect(async () => {
    height = (await said(page)).presented.at(-1)?.height ?? 0;
    await page.setViewportSize({ width: 460, height: Math.min(height, SCREEN) });
    // The page says another height a frame after it has it.
    expect(await laidOut(page)).toBe(height);
    expect((await said(page)).presented.at(-1)?.height).toBe(height);
  }).toPass();
  return height;
}

/** The height that all of a question has now. */
const laidOut = (page: Page) =>
  page.getByTestId("question").evaluate((panel) => {
    const parts = [panel.querySelector(".content"), panel.lastElementChild];
    return parts.reduce((sum, part) => sum + (part instanceof HTMLElement ? part.offsetHeight : 0), 0);
  });

/** Opens a menu beside a button, and chooses. */
export async function choose(page: Page, menu: "allow" | "deny", id: string) {
  await page.getByRole("button", { name: `More ways to ${menu}` }).click();
  await page.getByTestId(id).click();
}

/** Waits until answers count. */
export const armed = (page: Page) =>
  expect(page.getByTestId("arming")).toHaveAttribute("data-state", "armed");

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
    .or(page.getByRole("button", { name: /(Scroll|Show all) to allow/ }));
  await expect(still).not.toHaveCount(0);
  return serious(page);
}

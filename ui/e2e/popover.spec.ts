// The popover of the menu-bar item: what waits, runs and ran last; it leads to the panel and answers nothing itself.

import { expect, test, type Page } from "@playwright/test";
import { letters, same, stopClock } from "./pictures";
import { nothingSerious } from "./support";

test.use({ timezoneId: "UTC", locale: "en-US", viewport: { width: 330, height: 520 } });

const done = (page: Page) => page.evaluate(() => window.fakePopover?.done);

async function open(page: Page, scene = "") {
  await page.goto(`/popover.html?scene=${scene}`);
  await expect(page.getByTestId("popover")).toBeVisible();
}

test("a question leads to its panel, and nothing here allows", async ({ page }) => {
  await open(page);
  await expect(page.getByRole("status")).toHaveText(/^Guarding \d+ agents$/);
  await expect(page.getByTestId("waits")).toHaveCount(3);
  await expect(page.getByRole("button", { name: /allow|deny/i })).toHaveCount(0);
  await page.getByTestId("waits").first().click();
  await page.getByRole("button", { name: "Show All 4" }).click();
  await expect.poll(() => done(page)).toEqual([expect.stringMatching(/^question:/), "settings:inbox"]);
});

test("Ask Later puts off what waits, and the title opens Postern", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Ask Later" }).click();
  await page.getByRole("button", { name: "Postern" }).click();
  await expect.poll(() => done(page)).toEqual(["ask-later", "settings"]);
});

test("which computer asks is told where it is another", async ({ page }) => {
  await open(page, "fleet");
  await expect(page.getByTestId("waits").nth(0)).not.toContainText("on ");
  await expect(page.getByTestId("waits").nth(1)).toContainText("on studio");
  await expect(page.getByRole("button", { name: /^Answer builder on studio/ })).toHaveCount(1);
});

test("a run is stopped, and all agents are blocked and unblocked", async ({ page }) => {
  await open(page);
  const stop = page.getByRole("button", { name: /^Stop / });
  const before = await stop.count();
  expect(before).toBeGreaterThan(0);
  await stop.first().click();
  await expect(stop).toHaveCount(before - 1);
  await page.getByRole("button", { name: "Block All Agents for 1 Hour" }).click();
  await expect(page.getByRole("status")).toHaveText(/^All agents blocked until /);
  await page.getByRole("button", { name: "Unblock All Agents" }).click();
  await expect(page.getByRole("status")).toHaveText(/^Guarding/);
});

test("keys go from row to row, and Esc closes", async ({ page }) => {
  await open(page);
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("button", { name: "Postern" })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect(page.getByTestId("waits").nth(1)).toBeFocused();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowUp");
  await expect(page.getByRole("button", { name: /Search/ })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect.poll(() => done(page)).toEqual(["close"]);
});

test("without a host it says so, and offers nothing that would need one", async ({ page }) => {
  await open(page);
  await page.evaluate(() => window.fakePopover?.tell(true));
  await expect(page.getByRole("status")).toHaveText("Postern has stopped");
  await expect(page.getByTestId("waits")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Block All Agents for 1 Hour" })).toBeDisabled();
});

test("nothing of an agent's text breaks out of its row", async ({ page }) => {
  await open(page, "hostile");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide).toBeLessThanOrEqual(330);
  const height = await page.evaluate(() => window.fakePopover?.height ?? 0);
  expect(height).toBeGreaterThan(100);
  await nothingSerious(page);
});

test("people who press keys or hear it are kept out of nothing", async ({ page }) => {
  await open(page);
  await nothingSerious(page);
});

for (const scheme of ["light", "dark"] as const) {
  test(`popover-${scheme}`, async ({ page }) => {
    await stopClock(page);
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await open(page);
    await letters(page, true);
    await page.clock.runFor(1000);
    await expect(page).toHaveScreenshot(`popover-${scheme}.png`, same);
  });
}

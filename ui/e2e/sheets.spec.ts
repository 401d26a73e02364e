// Dialogs are sheets of their window: below its toolbar, with the focus inside, and back after.

import { expect, test, type Page } from "@playwright/test";
import { enlarge } from "./large";
import { sizes } from "./screens";
import { nothingSerious, openRules, rule, settled } from "./support";

const sheet = (page: Page) => page.getByRole("dialog");
const toolbar = (page: Page) => page.locator("[data-toolbar]");

/** Hangs at the toolbar, in the middle, with all of it in the window. */
async function hangs(page: Page) {
  await settled(page);
  const [above, at] = [await toolbar(page).boundingBox(), await sheet(page).boundingBox()];
  const window = page.viewportSize();
  if (!above || !at || !window) throw new Error("there is no sheet");
  expect(Math.abs(at.y - above.y - above.height)).toBeLessThan(1);
  expect(Math.abs(at.x + at.width / 2 - window.width / 2)).toBeLessThan(1);
  expect(at.y + at.height).toBeLessThanOrEqual(window.height);
  const last = sheet(page).locator(".actions > button").last();
  await expect(last).toBeInViewport({ ratio: 1 });
}

async function add(page: Page) {
  await openRules(page);
  await page.getByRole("button", { name: "Add Rule…" }).click();
  await expect(sheet(page)).toBeVisible();
}

for (const size of [sizes.large, sizes.small])
  test(`a sheet hangs at the toolbar, ${size.width} × ${size.height}`, async ({ page }) => {
    await page.setViewportSize(size);
    await add(page);
    await hangs(page);
    await page.getByText("Advanced", { exact: true }).last().click();
    await hangs(page);
    await page.setViewportSize(sizes.large);
    await hangs(page);
  });

test("a sheet with large text keeps its buttons in sight", async ({ page }) => {
  await enlarge(page, 2);
  await page.setViewportSize(sizes.small);
  await add(page);
  await hangs(page);
});

test("the sheets of the settings hang below their tabs", async ({ page }) => {
  await page.setViewportSize({ width: 640, height: 420 });
  await page.goto("/preferences.html#privacy");
  await page.getByRole("button", { name: "Erase History…" }).click();
  await hangs(page);
  await nothingSerious(page);
});

/** How long the sheet slides that was just opened, in milliseconds. */
const slides = (page: Page) =>
  sheet(page).evaluate((dialog) => {
    const time = getComputedStyle(dialog).animationDuration;
    return Math.round(parseFloat(time) * 1000);
  });

test("it slides for 0.2 s", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await add(page);
  expect(await slides(page)).toBe(200);
  await hangs(page);
});

test("nothing slides for those who want no motion", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await add(page);
  expect(await slides(page)).toBeLessThan(1);
});

test("Tab stays in it, Esc cancels it, and the focus is where it was", async ({ page }) => {
  await add(page);
  await expect(page.getByRole("textbox", { name: "Pattern" })).toBeFocused();
  for (let i = 0; i < 30; i += 1) {
    await page.keyboard.press("Tab");
    const inside = await page.evaluate(
      () => document.activeElement === document.body || document.activeElement?.closest("dialog") !== null,
    );
    expect(inside, "only the window’s own frame is outside").toBe(true);
  }
  await page.keyboard.press("Control+2");
  await expect(sheet(page), "keys of the window wait").toBeVisible();
  await page.keyboard.press("Escape");
  await expect(sheet(page)).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Add Rule…" })).toBeFocused();
});

test("Return presses the default button, and Cancel gives the focus back", async ({ page }) => {
  await add(page);
  await page.getByRole("textbox", { name: "Pattern" }).fill("npm test *");
  await sheet(page).getByLabel("Agent", { exact: true }).focus();
  await page.keyboard.press("Enter");
  await expect(sheet(page)).toHaveCount(0);
  await expect(rule(page, "npm test *")).toBeVisible();
  await page.getByRole("button", { name: "Add Rule…" }).click();
  await sheet(page).getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("button", { name: "Add Rule…" })).toBeFocused();
});

test("what can’t be undone is not the default: asked twice, and the focus goes back after both", async ({
  page,
}) => {
  await page.goto("/settings.html#builder/advanced");
  const everything = page.getByRole("radiogroup", { name: "If no one answers" });
  await everything.getByText("Allow everything").click();
  await expect(sheet(page).getByRole("button", { name: "Cancel" })).toBeFocused();
  await sheet(page).getByRole("button", { name: "Set" }).click();
  await expect(sheet(page)).toContainText("most dangerous");
  await settled(page);
  await expect(sheet(page).getByRole("button", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(sheet(page)).toHaveCount(0);
  await expect(everything.getByRole("radio", { name: "Deny", exact: true })).toBeFocused();
});

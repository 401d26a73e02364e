// Menus: beside their own button, and whole, wherever that is.

import { expect, test, type Locator, type Page } from "@playwright/test";
import { open } from "./question";
import { nothingSerious, openRules } from "./support";

/** All of it can be seen and clicked: nothing clips it, and it is inside the window. */
async function isWhole(menu: Locator) {
  await expect(menu).toBeInViewport({ ratio: 1 });
  for (const item of await menu.getByRole("menuitem").all()) {
    await item.scrollIntoViewIfNeeded();
    const onTop = await item.evaluate((one) => {
      const { left, top, width, height } = one.getBoundingClientRect();
      return one.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    });
    expect(onTop, await item.innerText()).toBe(true);
  }
}

async function opened(page: Page, button: Locator) {
  await button.click();
  const menu = page.getByRole("menu");
  await isWhole(menu);
  return menu;
}

for (const scene of ["push", "uname", "alike"] as const) {
  test(`the panel's menus fit it, each above its own button: ${scene}`, async ({ page }) => {
    await open(page, scene);
    for (const way of ["deny", "allow"] as const) {
      const menu = await opened(page, page.getByRole("button", { name: `More ways to ${way}` }));
      const capsule = await page.getByTestId(`${way}-capsule`).boundingBox();
      const box = await menu.boundingBox();
      if (!capsule || !box) throw new Error("nothing is there");
      expect(box.y + box.height).toBeLessThanOrEqual(capsule.y);
      expect(Math.abs(box.x + box.width - capsule.x - capsule.width)).toBeLessThan(3);
      await page.keyboard.press("Escape");
      await expect(page.getByRole("menu")).toHaveCount(0);
    }
  });
}

test("a panel that is too low for its menu scrolls it, and keys reach its end", async ({ page }) => {
  await open(page, "push", 120);
  const menu = await opened(page, page.getByRole("button", { name: "More ways to deny" }));
  const box = await menu.boundingBox();
  expect(box?.y).toBeGreaterThanOrEqual(0);
  await page.keyboard.press("End");
  await expect(menu.getByRole("menuitem").last()).toBeFocused();
  await expect(menu.getByRole("menuitem").last()).toBeInViewport({ ratio: 1 });
});

test("menus of the window's rows fit the smallest window, also at the end of a page", async ({ page }) => {
  await page.setViewportSize({ width: 860, height: 520 });
  await page.goto("/preferences.html#doors");
  await expect(page.getByTestId("door")).toHaveCount(3);
  for (const button of [
    page.getByRole("button", { name: "More: release" }),
    page.locator("button[aria-label^='More: ']").last(),
  ]) {
    await button.scrollIntoViewIfNeeded();
    await opened(page, button);
    await page.keyboard.press("Escape");
    await expect(button).toBeFocused();
  }
});

test("the menu that blocks all agents fits the smallest window", async ({ page }) => {
  await page.setViewportSize({ width: 860, height: 520 });
  await page.goto("/settings.html#activity");
  const button = page.getByRole("button", { name: "Block All Agents", exact: true });
  await opened(page, button);
  await page.keyboard.press("Escape");
  await expect(button).toBeFocused();
});

test("a menu in an inspector and in a toolbar", async ({ page }) => {
  await page.setViewportSize({ width: 860, height: 520 });
  await openRules(page);
  await opened(page, page.getByRole("button", { name: "More", exact: true }));
  await nothingSerious(page);
  await page.goto("/settings.html#activity");
  await page.getByTestId("request").first().click();
  await opened(page, page.getByRole("complementary").getByRole("button", { name: "More" }));
});

// Text one and a half times and twice as large as usual: it is all there, and every button can be used.

import { expect, test } from "@playwright/test";
import { enlarge, isLarge } from "./large";
import { choose, fit, open, scenes } from "./question";
import { screens, sizes } from "./screens";
import { request } from "./support";

for (const times of [1.5, 2])
  for (const scene of scenes)
    test(`${scene}, ${times} times as large`, async ({ page }) => {
      await enlarge(page, times);
      await open(page, scene);
      await isLarge(page, times);
    });

for (const times of [1.5, 2]) {
  test(`the parts of a question, ${times} times as large`, async ({ page }) => {
    await enlarge(page, times);
    await open(page, "push");
    await page.keyboard.press("Control+i");
    await fit(page);
    await isLarge(page, times);
    await page.keyboard.press("Control+i");
    await choose(page, "allow", "always");
    await expect(page.getByTestId("left-out")).toBeVisible();
    await fit(page);
    await isLarge(page, times);
    await page.getByRole("button", { name: "Back" }).click();
    for (const id of ["note", "deny-always"]) {
      await choose(page, "deny", id);
      await isLarge(page, times);
      await page.keyboard.press("Escape");
    }
    await page.keyboard.press("Control+e");
    await fit(page);
    await isLarge(page, times);
  });
}

for (const times of [1.5, 2])
  for (const [name, open] of Object.entries(screens))
    test(`${name}, ${times} times as large`, async ({ page }) => {
      await enlarge(page, times);
      await page.setViewportSize(sizes.large);
      await open(page);
      await isLarge(page, times);
    });

test("icons and the marks of pop-ups grow with the text", async ({ page }) => {
  await enlarge(page, 2);
  await page.setViewportSize(sizes.large);
  await page.goto("/settings.html#activity");
  await request(page, "rg -n").click();
  const heights = await page
    .getByTestId("output")
    .locator(".bar > button")
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
  expect(Math.max(...heights) - Math.min(...heights)).toBeLessThan(8);
  const more = page.getByRole("button", { name: "More", exact: true }).locator("svg").first();
  expect((await more.boundingBox())?.width).toBeGreaterThan(25);
  await page.goto("/settings.html#rules");
  const mark = page.locator("select").first();
  await expect(mark).toHaveCSS("background-size", "8px 8px, 8px 8px, auto");
});

for (const times of [1.5, 2]) {
  test(`the popover, ${times} times as large`, async ({ page }) => {
    await enlarge(page, times);
    await page.setViewportSize({ width: 330, height: 700 });
    await page.goto("/popover.html");
    await expect(page.getByTestId("popover")).toBeVisible();
    await isLarge(page, times);
  });

  test(`the first run, ${times} times as large`, async ({ page }) => {
    await enlarge(page, times);
    await page.setViewportSize({ width: 560, height: 480 });
    await page.goto("/settings.html?scene=empty");
    for (const heading of [
      "Welcome to Postern",
      "Which agents do you use?",
      "What may they do without asking?",
    ]) {
      await expect(page.getByRole("heading", { name: heading })).toBeVisible();
      await isLarge(page, times);
      await page.getByRole("button", { name: "Continue" }).click();
    }
    await expect(page.getByTestId("try")).toBeVisible();
    await isLarge(page, times);
  });

  test(`the settings, ${times} times as large`, async ({ page }) => {
    await enlarge(page, times);
    await page.setViewportSize({ width: 820, height: 620 });
    for (const tab of ["questions", "privacy", "advanced", "about", "skills"]) {
      await page.goto(`/preferences.html#${tab}`);
      await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
      await isLarge(page, times);
    }
    for (const scene of ["fleet", "fleet-broken"]) {
      await page.goto(`/preferences.html?scene=${scene}#fleet`);
      await expect(page.getByTestId("member")).toHaveCount(7);
      await isLarge(page, times);
    }
  });

  test(`the window of output, ${times} times as large`, async ({ page }) => {
    await enlarge(page, times);
    await page.setViewportSize({ width: 720, height: 480 });
    await page.goto("/settings.html?scene=output#activity");
    await request(page, "npm test").click();
    const opened = page.waitForEvent("popup");
    await page.getByTestId("output").getByRole("button", { name: "Open in Own Window" }).click();
    await page.goto((await opened).url());
    await expect(page.getByTestId("output")).toBeVisible();
    await isLarge(page, times);
  });
}

// Requests, rules and counts of another Mac of the fleet.

import { expect, test, type Page } from "@playwright/test";
import { nothingSerious, nothingSideways } from "./support";

test.beforeEach(async ({ page }) => {
  await page.setViewportSize({ width: 1380, height: 860 });
});

const choice = (page: Page) => page.getByRole("combobox", { name: "Computer", exact: true });
const go = (page: Page, name: string) =>
  page
    .getByRole("navigation")
    .getByRole("button", { name: new RegExp(`^${name}`) })
    .click();

test("without a fleet there is no other Mac to choose", async ({ page }) => {
  await page.goto("/settings.html#activity");
  await expect(page.getByTestId("request").first()).toBeVisible();
  await expect(choice(page)).toHaveCount(0);
});

test("requests of another Mac are listed, filtered, and not acted on from here", async ({ page }) => {
  await page.goto("/settings.html?scene=fleet#activity");
  await choice(page).selectOption("mini-3");
  const rows = page.getByTestId("request");
  await expect(rows.first()).toContainText("nightly");
  await page.getByRole("combobox", { name: "Outcome" }).selectOption("You denied");
  await expect(rows.first()).toContainText("denied by you");
  await rows.first().click();
  await expect(rows.first()).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("complementary"), "what could stop or repeat it is there").toHaveCount(0);
  await nothingSerious(page);
  await choice(page).selectOption("This computer");
  await expect(rows.first()).not.toContainText("nightly");
});

test("a Mac that is offline says so, and shows no rows of another", async ({ page }) => {
  await page.goto("/settings.html?scene=fleet#activity");
  await expect(page.getByTestId("request").first()).toBeVisible();
  await choice(page).selectOption("build-1");
  await expect(page.getByText("build-1 is offline")).toBeVisible();
  await expect(page.getByTestId("request")).toHaveCount(0);
});

test("the choice holds on every page, and rules and counts of another Mac are only read", async ({
  page,
}) => {
  await page.goto("/settings.html?scene=fleet#activity");
  await choice(page).selectOption("mini-3");
  await go(page, "Rules");
  await expect(choice(page)).toHaveValue("host-mini");
  await expect(page.getByText("Rules of mini-3. Change them there.")).toBeVisible();
  const rule = page.getByTestId("rule").first();
  await expect(rule).toBeVisible();
  await rule.click();
  await page.keyboard.press("Delete");
  await rule.dblclick();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Add Rule…" })).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Remove/ })).toHaveCount(0);
  await nothingSerious(page);
  await nothingSideways(page);
  await go(page, "Insights");
  await expect(page.getByText(/Postern answered/)).toBeVisible();
  await expect(page.getByText("Review…"), "rules are tidied up on the Mac itself").toHaveCount(0);
  await nothingSerious(page);
  await choice(page).selectOption("build-1");
  await expect(page.getByText("build-1 is offline")).toBeVisible();
  await expect(page.getByText(/Postern answered/), "no counts of another Mac").toHaveCount(0);
});

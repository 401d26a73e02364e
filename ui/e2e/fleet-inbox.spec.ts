// Other Macs of the fleet from the main window: all their agents are blocked, and the inbox is narrowed to one of them.

import { expect, test, type Page } from "@playwright/test";
import { nothingSerious } from "./support";

test.beforeEach(async ({ page }) => {
  await page.setViewportSize({ width: 1180, height: 900 });
});

const dialog = (page: Page) => page.getByRole("dialog");
const press = (page: Page, name: string) => dialog(page).getByRole("button", { name, exact: true }).click();

test("all agents of a group are blocked from the sidebar, and work again", async ({ page }) => {
  await page.goto("/settings.html?scene=fleet#inbox");
  await page.getByRole("button", { name: "Block All Agents" }).click();
  await page.getByRole("menuitem", { name: /^Block on Other/ }).click();
  await dialog(page).getByLabel("Where").selectOption("builds");
  await press(page, "Block for 1 Hour");
  const said = dialog(page).getByRole("status");
  await expect(said).toContainText("mini-3: all agents are blocked");
  await expect(said).toContainText("build-1: offline, nothing was sent");
  await nothingSerious(page);
  await press(page, "Unblock");
  await expect(said).toContainText("mini-3: agents work again");
});

test("the inbox is narrowed to one Mac or a group, and shows what is in its list", async ({ page }) => {
  await page.goto("/settings.html?scene=fleet#inbox");
  const waiting = page.getByTestId("waiting");
  await expect(waiting).toHaveCount(4);
  const place = page.getByRole("combobox", { name: "Show" });
  await place.selectOption("ci-7");
  await expect(waiting).toHaveCount(1);
  await expect(waiting).toHaveAttribute("aria-selected", "true");
  await nothingSerious(page);
  await place.selectOption("home");
  await expect(waiting).toHaveCount(3);
  await expect(page.getByRole("group", { name: /ci-7/ })).toHaveCount(0);
  await place.selectOption("Everywhere");
  await expect(waiting).toHaveCount(4);
});

test("an inbox of this Mac alone has nothing to choose", async ({ page }) => {
  await page.goto("/settings.html#inbox");
  await expect(page.getByTestId("waiting").first()).toBeVisible();
  await expect(page.getByRole("combobox", { name: "Show" })).toHaveCount(0);
});

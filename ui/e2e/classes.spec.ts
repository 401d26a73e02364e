// What an agent may do without asking: on its page, and as it is added.

import { expect, test, type Page } from "@playwright/test";
import { nothingSerious, nothingSideways, openAgent, seriousInSize } from "./support";

const sizes = { large: { width: 1180, height: 900 }, small: { width: 760, height: 520 } };
const access = (page: Page, name: string, value: string) =>
  page.getByRole("radiogroup", { name }).getByText(value, { exact: true });
const chosen = (page: Page, name: string, value: string) =>
  page.getByRole("radiogroup", { name }).getByRole("radio", { name: value });

async function fits(page: Page) {
  await nothingSerious(page);
  await nothingSideways(page);
  await page.setViewportSize(sizes.small);
  expect(await seriousInSize(page)).toEqual([]);
  await nothingSideways(page);
  await page.setViewportSize(sizes.large);
}

test.beforeEach(async ({ page }) => {
  await page.setViewportSize(sizes.large);
});

test("classes are set on an agent's page, and stay", async ({ page }) => {
  await openAgent(page);
  await access(page, "Look around", "Allow").click();
  await access(page, "Run project code", "Allow").click();
  await page.getByRole("switch", { name: /Local servers/ }).check();
  await access(page, "Use secrets", "Deny").click();
  await fits(page);
  await openPage(page, "research");
  await expect(chosen(page, "Look around", "Ask")).toBeChecked();
  await openPage(page, "builder");
  await expect(chosen(page, "Look around", "Allow")).toBeChecked();
  await expect(chosen(page, "Use secrets", "Deny")).toBeChecked();
  await expect(page.getByRole("switch", { name: /Local servers/ })).toBeChecked();
});

test("a class goes by keys alone", async ({ page }) => {
  await openAgent(page);
  await chosen(page, "Share", "Ask").focus();
  await page.keyboard.press("ArrowRight");
  await expect(chosen(page, "Share", "Deny")).toBeChecked();
});

test("without folders an agent only looks around, and the page says what to do", async ({ page }) => {
  await openAgent(page);
  await access(page, "Change its files", "Allow").click();
  await page.getByRole("textbox", { name: /^Folders/ }).fill("");
  await page.getByRole("textbox", { name: /^Folders/ }).blur();
  await expect(page.getByText(/Choose its folders first/)).toBeVisible();
  await expect(chosen(page, "Change its files", "Ask")).toBeChecked();
  await expect(chosen(page, "Change its files", "Allow")).toBeDisabled();
  await expect(chosen(page, "Look around", "Allow")).toBeEnabled();
  await fits(page);
  await page.getByRole("textbox", { name: /^Folders/ }).fill("~/Projects/site");
  await page.getByRole("textbox", { name: /^Folders/ }).blur();
  await expect(chosen(page, "Change its files", "Allow")).toBeEnabled();
});

test("a new agent asks about everything, looks around, or works in its folders", async ({ page }) => {
  for (const [name, start] of [
    ["asker", "Ask about everything"],
    ["looker", "Let it look around"],
    ["worker", "Let it work in its folders, confined"],
  ] as const) {
    await page.goto(`/settings.html?${name}#add`);
    await page.getByRole("textbox", { name: "Name" }).fill(name);
    await page.getByRole("radio", { name: start }).check();
    const add = page.getByRole("button", { name: "Add Agent", exact: true });
    if (name === "worker") {
      await expect(add).toBeDisabled();
      await page.getByRole("textbox", { name: "Its folders" }).fill("~/Projects/site");
      await fits(page);
    }
    await add.click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Done" }).click();
    await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
    // A new agent's page begins with how to connect it.
    await access(page, "Parts of this page", "Overview").click();
    const look = name === "asker" ? "Ask" : "Allow";
    const work = name === "worker" ? "Allow" : "Ask";
    await expect(chosen(page, "Look around", look)).toBeChecked();
    await expect(chosen(page, "Run project code", work)).toBeChecked();
    await expect(chosen(page, "Use the network", "Ask")).toBeChecked();
  }
  await expect(page.getByRole("textbox", { name: /^Folders/ })).toHaveValue("~/Projects/site");
});

test("what the system cannot confine is not offered, and why is said", async ({ page }) => {
  await page.goto("/settings.html?scene=unconfined#add");
  const work = page.getByRole("radio", { name: /work in its folders/ });
  await expect(work).toBeDisabled();
  await expect(page.getByText(/can’t confine it:/).first()).toBeVisible();
  await expect(page.getByRole("radio", { name: "Let it look around" })).toBeEnabled();
  await fits(page);
});

/** Opens another agent's page without loading the window again. */
async function openPage(page: Page, name: string) {
  await page
    .getByRole("navigation")
    .getByRole("button", { name: new RegExp(`^${name}`) })
    .click();
  await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
}

// Every screen of the main window and of the settings, and how to come there.

import { expect, type Page } from "@playwright/test";
import { openAgent, openRules, request, rule, turnTo } from "./support";

export const sizes = { large: { width: 1080, height: 700 }, small: { width: 860, height: 520 } };

/** Every screen, and what shows that it is there. */
export const screens: Record<string, (page: Page) => Promise<void>> = {
  inbox: async (page) => {
    await page.goto("/settings.html");
    await expect(page.getByTestId("waiting")).toHaveCount(4);
    // What does not fit is armed only after its end was seen.
    await expect(page.getByTestId("arming")).toHaveAttribute("data-state", /armed|unseen/);
  },
  "a dangerous request in the inbox": async (page) => {
    await page.goto("/settings.html");
    await page.getByTestId("waiting").filter({ hasText: "dangerous" }).first().click();
    await expect(page.getByRole("button", { name: "Hold to Allow" })).toBeVisible();
    await expect(page.getByTestId("arming")).toHaveAttribute("data-state", /armed|unseen/);
  },
  "an empty inbox": async (page) => {
    await page.goto("/settings.html?scene=answered");
    await expect(page.getByText("Nothing is waiting")).toBeVisible();
  },
  "a hostile inbox": async (page) => {
    await page.goto("/settings.html?scene=hostile");
    await expect(page.getByTestId("waiting")).toHaveCount(2);
    await expect(page.getByTestId("question")).toContainText("U+202E");
  },
  rules: async (page) => {
    await page.goto("/settings.html#rules");
    await expect(page.getByTestId("rule").first()).toBeVisible();
  },
  "a command that is tried": async (page) => {
    await page.goto("/settings.html#rules");
    await page.getByLabel("Try a command").fill("rm -rf ~/Library && git status");
    await expect(page.getByTestId("verdict")).toContainText("Denied");
    await page.getByText("How it was decided").click();
  },
  "hostile rules of everybody": async (page) => {
    await page.goto("/settings.html?scene=hostile#rules");
    await page.getByRole("searchbox", { name: "Search rules" }).fill("the-very-end");
    await expect(page.getByTestId("rule").first()).toContainText("U+202E");
  },
  "the search": async (page) => {
    await page.goto("/settings.html");
    await expect(page.getByTestId("waiting").first()).toBeVisible();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("build");
    await expect(page.getByRole("option", { name: /npm run build/ }).first()).toBeVisible();
    // The buttons of the question behind it have their colors only then.
    await expect(page.getByTestId("arming")).toHaveAttribute("data-state", /armed|unseen/);
  },
  activity: async (page) => {
    await page.goto("/settings.html#activity");
    await expect(request(page, "npm run build")).toBeVisible();
  },
  "a request": async (page) => {
    await page.goto("/settings.html#activity");
    await request(page, "rg -n").click();
    await expect(page.getByTestId("output")).toContainText("TODO later");
  },
  "nothing asked yet": async (page) => {
    await page.goto("/settings.html?scene=quiet#activity");
    await expect(page.getByText("No requests yet.")).toBeVisible();
  },
  insights: async (page) => {
    await page.goto("/settings.html#insights");
    await expect(page.getByText("answers 2 questions")).toBeVisible();
  },
  "no insights": async (page) => {
    await page.goto("/settings.html?scene=quiet#insights");
    await expect(page.getByText("No requests in this period.")).toBeVisible();
  },
  doors: async (page) => {
    await page.goto("/preferences.html#doors");
    await expect(page.getByTestId("door")).toHaveCount(3);
  },
  "no doors": async (page) => {
    await page.goto("/preferences.html?scene=empty#doors");
    await expect(page.getByText("No agent yet.")).toBeVisible();
  },
  settings: async (page) => {
    await page.goto("/preferences.html#settings");
    await expect(page.getByRole("heading", { name: "Settings", level: 1 })).toBeVisible();
  },
  "an agent": async (page) => {
    await openAgent(page);
    await expect(page.getByRole("radiogroup", { name: "Color" })).toBeVisible();
  },
  "how an agent connects": async (page) => {
    await openAgent(page);
    await turnTo(page, "Connection");
    await expect(page.getByTestId("enrolment")).toBeVisible();
  },
  "an agent's exact settings": async (page) => {
    await openAgent(page);
    await turnTo(page, "Advanced");
    await expect(page.getByRole("radiogroup", { name: "May run" })).toBeVisible();
  },
  "an agent's rules": async (page) => {
    await openRules(page);
    await rule(page, "git push *").click();
    await expect(page.getByTestId("inspector")).toContainText("used 48 times");
  },
  "a rule being typed": async (page) => {
    await openRules(page);
    await rule(page, "git push *").click();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("textbox", { name: "Pattern" })).toBeFocused();
  },
  "a rule": async (page) => {
    await openRules(page);
    await page.getByRole("button", { name: "Add Rule…" }).click();
    await expect(page.getByTestId("rule-editor")).toBeVisible();
  },
  "no rules": async (page) => {
    await openRules(page, "builder", "?scene=quiet");
    await expect(page.getByText("No rules yet.")).toBeVisible();
  },
  "a new agent": async (page) => {
    await page.goto("/settings.html#activity");
    await page.getByRole("button", { name: "Add Agent…" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  },
  "hostile rules": async (page) => {
    await openRules(page, "builder", "?scene=hostile");
    await page.getByRole("searchbox", { name: "Search rules" }).fill("the-very-end");
    await page.getByTestId("rule").first().click();
    await expect(page.getByTestId("inspector")).toContainText("the-very-end");
  },
  "a hostile request": async (page) => {
    await page.goto("/settings.html?scene=hostile#activity");
    await page.getByTestId("request").nth(2).click();
    await expect(page.getByTestId("output")).toContainText("the-very-end");
  },
};

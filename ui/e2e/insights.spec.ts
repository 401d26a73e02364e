import { expect, test } from "@playwright/test";
import { request, rule, turnTo } from "./support";

test.beforeEach(async ({ page }) => {
  await page.setViewportSize({ width: 1180, height: 860 });
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto("/settings.html#insights");
  await expect(page.getByText("answers 2 questions")).toBeVisible();
});

test("a bar leads to its requests", async ({ page }) => {
  const chart = page.locator("canvas").first();
  const box = await chart.boundingBox();
  if (!box) throw new Error("there is no picture");
  // A bar stands somewhere over the foot of the picture: the first one that leads on. What a click does is painted two
  // frames later.
  const heading = page.getByRole("heading", { level: 1 });
  const painted = () =>
    page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))),
    );
  for (let x = 60; x < 160 && (await heading.innerText()) === "Insights"; x += 7) {
    await page.mouse.click(box.x + x, box.y + box.height - 40);
    await painted();
  }
  await expect(page.getByRole("heading", { name: "Activity" })).toBeVisible();
  await expect(page.getByLabel("Outcome")).toHaveValue("rule-allowed");
  await expect(page.getByRole("button", { name: /^Remove filter on/ })).toBeVisible();
});

test("the same numbers as a table, each leading to its requests", async ({ page }) => {
  await page.getByRole("button", { name: "Show as Table" }).first().click();
  const table = page.getByRole("table").first();
  await expect(table.getByRole("row")).toHaveCount(31);
  await expect(table.getByRole("columnheader", { name: "You denied" })).toBeVisible();
  await table.getByRole("row").nth(1).getByRole("button").first().click();
  await expect(page.getByRole("heading", { name: "Activity" })).toBeVisible();
});

test("it says what time of day is busy, which agents are, and what that saves", async ({ page }) => {
  await expect(
    page.getByText(/requests without asking you\. At 5 seconds each, that is about \d+ hours\./),
  ).toBeVisible();
  const hours = page.getByRole("figure", { name: "Requests by time of day" });
  await hours.getByRole("button", { name: "Show as Table" }).click();
  await expect(hours.getByRole("row")).toHaveCount(25);
  await expect(hours.getByRole("row", { name: /^2 PM/ })).toContainText(/[1-9]/);
  const agents = page.getByRole("figure", { name: "Requests by agent" });
  await agents.getByRole("button", { name: "Show as Table" }).click();
  await agents
    .getByRole("row", { name: /^research/ })
    .getByRole("button")
    .first()
    .click();
  await expect(page.getByLabel("Agent", { exact: true })).toHaveValue("research");
  await expect(page.getByLabel("Outcome")).toHaveValue("rule-allowed");
});

test("it says which folders are busy, and a folder leads to its requests", async ({ page }) => {
  const folders = page.getByRole("figure", { name: "Requests by folder" });
  await folders.getByRole("button", { name: "Show as Table" }).click();
  await folders
    .getByRole("row", { name: /^~\/Projects\/crawler/ })
    .getByRole("button")
    .first()
    .click();
  const chip = page.getByRole("button", { name: "Remove filter in ~/Projects/crawler" });
  await expect(chip).toBeVisible();
  await expect(request(page, "curl")).toHaveCount(0);
  await page.getByLabel("Outcome").selectOption("any");
  await chip.click();
  await expect(request(page, "curl").first()).toBeVisible();
});

test("a rule that saves clicks leads to what it allowed", async ({ page }) => {
  await page.getByRole("button", { name: "Show as Table" }).last().click();
  await page
    .getByRole("row", { name: /homebrew\/bin\/rg/ })
    .getByRole("button")
    .click();
  await expect(page.getByRole("button", { name: "Remove filter by /opt/homebrew/bin/rg" })).toBeVisible();
  await expect(request(page, "rg -n")).toBeVisible();
  await page.getByRole("button", { name: /^Remove filter/ }).click();
  await expect(request(page, "curl")).toBeVisible();
});

test("one rule that is not used is no more than one", async ({ page }) => {
  await expect(page.getByText("1 of 16 rules. Without it, you would be asked just as often.")).toBeVisible();
});

test("a suggestion becomes a rule through the editor", async ({ page }) => {
  await expect(
    page.getByText("The mark is at half of the questions."),
    "what stands on the meter",
  ).toBeVisible();
  await expect(
    page.getByText("2 rules would have answered 3 of your last 6 questions").first(),
  ).toBeVisible();
  await page.getByRole("button", { name: "Review…", exact: true }).first().click();
  const editor = page.getByTestId("rule-editor");
  await expect(editor.getByLabel("Pattern")).toHaveValue("git fetch *");
  await expect(editor.getByLabel("Pattern")).toHaveAccessibleDescription(/Would match \d/);
  await editor.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Added git fetch *")).toBeVisible();
  await page
    .getByRole("navigation")
    .getByRole("button", { name: /^research/ })
    .click();
  await turnTo(page, "Rules");
  await expect(rule(page, "git fetch *")).toHaveCount(1);
});

test("what nobody used is reviewed and goes", async ({ page }) => {
  await page.getByRole("button", { name: "Review Unused…" }).click();
  await page.getByRole("button", { name: "Remove 1 rule", exact: true }).click();
  await expect(page.getByText("Every rule is new, or was used in the last 90 days")).toBeVisible();
});

test("a kind of effect narrows the numbers, and leads to its requests", async ({ page }) => {
  await page.getByLabel("Effect").selectOption({ index: 1 });
  const kind = await page.getByLabel("Effect").inputValue();
  await page.getByRole("button", { name: "Show as Table" }).first().click();
  await page.getByRole("table").first().getByRole("row").nth(1).getByRole("button").first().click();
  await expect(page.getByRole("heading", { name: "Activity" })).toBeVisible();
  await expect(page.getByLabel("Effect")).toHaveValue(kind);
});

import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";

test.beforeEach(async ({ page }) => {
  await page.setViewportSize({ width: 1180, height: 760 });
});

for (const [name, open] of [
  ["activity", ["Activity"]],
  ["settings", ["Settings"]],
  ["an agent", ["builder"]],
  ["a new agent", ["Add agent…"]],
  ["a rule", ["builder", "Add rule…"]],
] as const) {
  test(`${name}: nothing serious for people who hear or press keys`, async ({ page }) => {
    await page.goto("/settings.html");
    for (const button of open) await page.getByRole("button", { name: button }).first().click();
    await page.waitForTimeout(200);
    const { violations } = await new AxeBuilder({ page }).analyze();
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    expect(serious.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
  });
}

test("the allowlist shows when, what and from where, and edits in place", async ({ page }) => {
  await page.goto("/settings.html");
  await page
    .getByRole("navigation")
    .getByRole("button", { name: /^builder/ })
    .click();
  const row = page.getByTestId("rule").filter({ hasText: "git push *" });
  await expect(row).toContainText(
    /1 h ago.*git push origin main.*\/opt\/homebrew\/bin\/git.*48.*2\.51\.0.*always/,
  );
  await row.getByRole("button", { name: "git push *", exact: true }).click();
  await page.getByRole("textbox", { name: "Pattern" }).fill("git push origin *");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByTestId("rule").filter({ hasText: "git push origin *" })).toContainText("48");
});

test("a removed rule comes back by undo", async ({ page }) => {
  await page.goto("/settings.html");
  await page
    .getByRole("navigation")
    .getByRole("button", { name: /^builder/ })
    .click();
  await page.getByRole("button", { name: "Remove /opt/homebrew/bin/rg" }).click();
  await expect(page.getByTestId("rule").filter({ hasText: "/opt/homebrew/bin/rg" })).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByTestId("rule").filter({ hasText: "/opt/homebrew/bin/rg" })).toHaveCount(1);
});

test("ten thousand rules are a short list in the page", async ({ page }) => {
  await page.goto("/settings.html?rules=10000");
  await page
    .getByRole("navigation")
    .getByRole("button", { name: /^builder/ })
    .click();
  await expect(page.getByText("Allowed 10,007")).toBeVisible();
  expect(await page.getByTestId("rule").count()).toBeLessThan(60);
  await page.getByRole("searchbox", { name: "Search rules" }).fill("tool-9999");
  await expect(page.getByTestId("rule")).toHaveCount(1);
});

test("a request tells what happened, and why", async ({ page }) => {
  await page.goto("/settings.html");
  await page.getByTestId("request").filter({ hasText: "rg -n" }).click();
  const detail = page.getByRole("complementary", { name: "Request" });
  await expect(detail).toContainText(/exit 0.*rg -n "TODO" src/);
  await expect(detail).toContainText("How it was decided");
  await expect(detail).toContainText("src/main.ts:12");
});

import { expect, test } from "@playwright/test";

test.beforeEach(async ({ page }) => {
  await page.setViewportSize({ width: 1180, height: 860 });
  await page.goto("/settings.html#doors");
});

const door = (page: import("@playwright/test").Page, name: string) => page.getByRole("region", { name });

test("who is connected and who can answer", async ({ page }) => {
  await expect(door(page, "builder")).toContainText(/1 connection.*postern-run 0\.1\.0/);
  await expect(door(page, "release")).toContainText("nobody connected");
  await expect(page.getByText("This app’s window")).toBeVisible();
});

test("a test runs a harmless command through the channel", async ({ page }) => {
  const test = door(page, "builder").getByTestId("channel-test");
  await test.getByRole("button", { name: "Test" }).click();
  await expect(test.getByRole("status")).toContainText(/It works: ran in 4 ms.*Darwin/);
});

test("a new key and a revocation are asked about first", async ({ page }) => {
  await page.getByRole("button", { name: "More: research" }).click();
  await page.getByRole("menuitem", { name: "New key…" }).click();
  await page.getByRole("button", { name: "Make new key" }).click();
  await expect(page.getByText("research has a new key.")).toBeVisible();
  await page.getByRole("button", { name: "More: research" }).click();
  await page.getByRole("menuitem", { name: "Revoke…" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(door(page, "research")).toBeVisible();
  await page.getByRole("button", { name: "More: research" }).click();
  await page.getByRole("menuitem", { name: "Revoke…" }).click();
  await page.getByRole("button", { name: "Revoke", exact: true }).click();
  await expect(door(page, "research")).toHaveCount(0);
});

test("the lines to connect are a click away", async ({ page }) => {
  await door(page, "research").getByRole("button", { name: "How to connect…" }).click();
  await expect(page.getByTestId("enrolment")).toContainText("agents/research/agent.sock");
});

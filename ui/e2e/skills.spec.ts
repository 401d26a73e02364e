import { expect, test } from "@playwright/test";
import { nothingSerious, nothingSideways } from "./support";

const skill = (page: import("@playwright/test").Page, name: string) => page.getByRole("region", { name });

test("what was approved, what is new, what changed, and who may use it", async ({ page }) => {
  await page.goto("/preferences.html#skills");
  await expect(skill(page, "bird")).toContainText("changed");
  await expect(skill(page, "github")).toContainText("approved");
  await expect(skill(page, "notes")).toContainText("front matter");
  await expect(page.getByRole("main").getByRole("button", { name: "builder", exact: true })).toBeVisible();
});

test("one CLI, or all of a skill, is approved", async ({ page }) => {
  await page.goto("/preferences.html#skills");
  await skill(page, "bird").getByRole("button", { name: "Approve Again: /opt/homebrew/bin/bird" }).click();
  await expect(page.getByText("Approved: /opt/homebrew/bin/bird.")).toBeVisible();
  await expect(skill(page, "bird")).not.toContainText("changed");
  await skill(page, "github").getByRole("button", { name: "Approve All" }).click();
  await expect(skill(page, "github")).not.toContainText("new");
  await expect(skill(page, "github")).toContainText("not found");
});

test("a folder is watched, a wrong one is refused where it was typed, and one is let go after a question", async ({
  page,
}) => {
  await page.goto("/preferences.html#skills");
  const folder = page.getByLabel("Folder of skills");
  await folder.fill("skills");
  await page.getByRole("button", { name: "Watch Folder" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "not an absolute path" })).toBeVisible();
  await expect(folder).toHaveValue("skills");
  await folder.fill("/srv/skills");
  await page.getByRole("button", { name: "Watch Folder" }).click();
  await page.getByRole("button", { name: "Choose Folder…" }).click();
  await expect(page.getByRole("button", { name: "Stop watching ~/skills" })).toBeVisible();
  await page.getByRole("button", { name: "Stop watching ~/.claude/skills" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Stop Watching" }).click();
  await expect(page.getByTestId("skill")).toHaveCount(0);
  await expect(page.getByText("No skills yet.")).toBeVisible();
});

test("hostile names are escapes, and nothing is pushed aside", async ({ page }) => {
  await page.setViewportSize({ width: 720, height: 560 });
  await page.goto("/preferences.html?scene=hostile#skills");
  await expect(page.getByText("U+202E").first()).toBeVisible();
  await nothingSideways(page);
  await nothingSerious(page);
});

// Stories told by keys alone: no click, and no focus that a test sets.

import { expect, test, type Locator, type Page } from "@playwright/test";
import { armed, open, said } from "./question";

/** Goes there by Tab, from wherever the focus is. */
async function tabTo(page: Page, wanted: Locator) {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press("Tab");
    if (await wanted.evaluate((one) => one === document.activeElement)) return;
  }
  await expect(wanted, "Tab comes there").toBeFocused();
}

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });

test("Always: an offer, a word opened, where and how long, saved", async ({ page }) => {
  await open(page, "push");
  await armed(page);
  await tabTo(page, button(page, "More ways to allow"));
  await page.keyboard.press("Space");
  for (let down = 0; down < 6 && !(await focused(page.getByTestId("always"))); down++)
    await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("radio").first(), "the card has the keys").toBeFocused();
  await page.keyboard.press("ArrowDown");
  await tabTo(page, button(page, "main"));
  await page.keyboard.press("Space");
  await expect(button(page, "any branch")).toBeFocused();
  await tabTo(page, page.getByLabel("How long"));
  await page.keyboard.type("1 hour");
  await expect(page.getByTestId("save")).toBeEnabled();
  await tabTo(page, page.getByTestId("save"));
  await page.keyboard.press("Enter");
  expect((await said(page)).answers, "Return saves nothing").toEqual([]);
  await page.keyboard.press("Space");
  expect((await said(page)).answers).toMatchObject([
    { answer: "always", proposal: "exact", edited: "git push origin *", lifetime: { kind: "until" } },
  ]);
});

const focused = (one: Locator) => one.evaluate((element) => element === document.activeElement);

test("what is folded is shown, and hidden again", async ({ page }) => {
  await open(page, "long");
  await tabTo(page, page.getByTestId("show-all"));
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("command")).toContainText("src/module-117/index.test.ts");
  await page.keyboard.press("Space");
  await expect(page.getByTestId("command")).not.toContainText("src/module-117/index.test.ts");
  await open(page, "heredoc");
  await tabTo(page, page.getByTestId("more"));
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("command")).toContainText("It goes back to that link now.");
  expect((await said(page)).answers).toEqual([]);
});

test("fewer rights are chosen, and shown as another question", async ({ page }) => {
  await open(page, "push");
  await tabTo(page, button(page, "Change the Confinement"));
  await page.keyboard.press("Space");
  await expect(page.getByRole("menuitem").first()).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  expect((await said(page)).edits).toMatchObject([{ confine: "project" }]);
  await expect(page.getByTestId("confinement")).toContainText("Confined: no network");
  await expect(page.getByTestId("deny"), "Deny has the keys again").toBeFocused();
});

test("all that waits is reached from the panel, and those that came later are gathered", async ({ page }) => {
  await open(page, "queued");
  await tabTo(page, page.getByTestId("queue"));
  await page.keyboard.press("Enter");
  expect((await said(page)).inbox).toBe(1);
  await page.keyboard.press("Control+]");
  expect((await said(page)).inbox).toBe(2);
  await page.keyboard.press("Control+d");
  await page.keyboard.press("Control+]");
  expect((await said(page)).inbox, "a message that is written stays").toBe(2);
  await open(page, "later");
  await page.keyboard.press("Control+]");
  expect((await said(page)).inbox, "nothing else waits").toBe(0);
  await tabTo(page, page.getByTestId("later"));
  await page.keyboard.press("Enter");
  expect((await said(page)).gathers).toEqual([true]);
});

test("in the inbox, brackets go from question to question, and answer none", async ({ page }) => {
  await page.setViewportSize({ width: 1080, height: 700 });
  await page.goto("/settings.html");
  const waiting = page.getByTestId("waiting");
  await expect(waiting.first()).toHaveAttribute("aria-selected", "true");
  for (const [key, nth] of [
    ["]", 1],
    ["]", 2],
    ["[", 1],
    ["[", 0],
    ["[", 0],
  ] as const) {
    await page.keyboard.press(`Control+${key}`);
    await expect(waiting.nth(nth)).toHaveAttribute("aria-selected", "true");
  }
  // Also while the panel has the keys.
  await page.getByRole("listbox").press("Enter");
  await expect(page.getByTestId("deny")).toBeFocused();
  await page.keyboard.press("Control+]");
  await expect(waiting.nth(1)).toHaveAttribute("aria-selected", "true");
  expect((await page.evaluate(() => window.said))?.answers).toEqual([]);
});

test("what became of an answer: by Tab, and undone by its chord", async ({ page }) => {
  for (const [pill, act] of [
    ["denied", "undo"],
    ["running", "stop"],
    ["failed", "show"],
  ]) {
    await page.goto(`/approval.html?scene=pill-${pill}`);
    await tabTo(page, page.getByTestId("pill-act"));
    await page.keyboard.press("Enter");
    expect((await said(page)).acts).toEqual([act]);
  }
  await page.goto("/approval.html?scene=pill-saved");
  await expect(page.getByTestId("pill")).toBeVisible();
  await page.keyboard.press("Control+z");
  expect((await said(page)).acts).toEqual(["undo"]);
});

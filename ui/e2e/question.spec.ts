import AxeBuilder from "@axe-core/playwright";
import { expect, test, type Page } from "@playwright/test";

const said = (page: Page) => page.evaluate(() => window.said);

for (const scene of ["push", "dangerous", "script", "hostile"]) {
  test(`${scene}: nothing serious for people who hear or press keys`, async ({ page }) => {
    await page.setViewportSize({ width: 640, height: 700 });
    await page.goto(`/approval.html?scene=${scene}`);
    await expect(page.getByTestId("question")).toBeVisible();
    await page.emulateMedia({ reducedMotion: "reduce" });
    const { violations } = await new AxeBuilder({ page }).analyze();
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    expect(serious.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
  });
}

test("more contrast leaves nothing pale", async ({ page }) => {
  await page.emulateMedia({ contrast: "more", reducedMotion: "reduce" });
  await page.goto("/approval.html?scene=dangerous");
  const { violations } = await new AxeBuilder({ page }).withRules(["color-contrast"]).analyze();
  expect(violations).toEqual([]);
});

test("a click before arming does nothing, the one after it allows", async ({ page }) => {
  await page.setViewportSize({ width: 640, height: 760 });
  await page.goto("/approval.html?scene=push");
  const once = page.getByTestId("once");
  await once.click({ force: true });
  expect((await said(page))?.answers).toEqual([]);
  await expect(once).toBeEnabled();
  await once.click();
  expect((await said(page))?.answers).toMatchObject([{ answer: "once", digest: "a".repeat(64) }]);
});

test("what does not fit must be scrolled to its end", async ({ page }) => {
  await page.setViewportSize({ width: 640, height: 480 });
  await page.goto("/approval.html?scene=hostile");
  const question = page.getByTestId("arming");
  await expect(question).toHaveAttribute("data-state", "unseen");
  await page.getByRole("button", { name: /Scroll to the end/ }).click();
  await expect(question).toHaveAttribute("data-state", "armed");
  expect((await said(page))?.seen).toHaveLength(1);
});

test("hostile text changes nothing else: no element, no dialog, no sideways scroll, every row complete", async ({
  page,
}) => {
  page.on("dialog", () => expect("a dialog").toBe("never opened"));
  await page.setViewportSize({ width: 640, height: 620 });
  await page.goto("/approval.html?scene=hostile");
  await expect(page.locator("#page img, #page script, #page iframe, #page a")).toHaveCount(0);
  const rows = page.getByTestId("command").getByRole("listitem");
  await expect(rows).toHaveCount(5);
  await expect(rows.nth(3)).toContainText("A".repeat(3000));
  await expect(rows.nth(4)).toContainText("the-very-end");
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll("*")]
      .filter(
        (one) =>
          one.scrollWidth > one.clientWidth + 1 &&
          one.clientWidth > 1 &&
          getComputedStyle(one).overflowX !== "visible",
      )
      .map((one) => one.className),
  );
  expect(wide, "nothing is cut off at the side").toEqual([]);
  await expect(page.getByTestId("deny")).toBeInViewport();
});

test("ligatures are off wherever hostile text stands", async ({ page }) => {
  await page.goto("/approval.html?scene=script");
  const off = await page.evaluate(() =>
    [...document.querySelectorAll("bdo")].every(
      (one) => getComputedStyle(one).fontVariantLigatures === "none",
    ),
  );
  expect(off).toBe(true);
});

test("the answers stay where they are from first paint to armed", async ({ page }) => {
  await page.setViewportSize({ width: 640, height: 760 });
  await page.goto("/approval.html?scene=push");
  const where = () => page.getByTestId("once").boundingBox();
  const first = await where();
  await expect(page.getByTestId("once")).toBeEnabled();
  expect(await where()).toEqual(first);
});

test("by keyboard alone: the note, then the denial", async ({ page }) => {
  await page.goto("/approval.html?scene=push");
  await expect(page.getByTestId("deny")).toBeFocused();
  await page.keyboard.press("Enter");
  expect((await said(page))?.answers, "Return answers nothing").toEqual([]);
  await page.getByRole("button", { name: "Deny with a note" }).press("Space");
  await page.keyboard.type("use the release branch");
  await page.keyboard.press("Control+Enter");
  expect((await said(page))?.answers).toMatchObject([{ answer: "deny", feedback: "use the release branch" }]);
});

import { expect, test, type Page } from "@playwright/test";
import { open, said, seriousInQuestion } from "./question";
import { seriousInSize } from "./support";

const scenes = ["push", "dangerous", "script", "hostile", "tool", "edited", "long"] as const;
const sizes = { small: { width: 640, height: 420 }, large: { width: 980, height: 900 } };

for (const scene of scenes) {
  test(`${scene}: nothing serious for people who hear or press keys`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open(page, scene, sizes.large);
    expect(await seriousInQuestion(page)).toEqual([]);
    await inSight(page);
    await page.setViewportSize(sizes.small);
    expect(await seriousInSize(page)).toEqual([]);
    await inSight(page);
  });
}

async function inSight(page: Page) {
  await expect(page.getByTestId("deny"), "Deny is always in sight").toBeInViewport({ ratio: 1 });
  await expect(page.getByTestId("once")).toBeInViewport({ ratio: 1 });
}

test("a click before arming does nothing, the one after it allows", async ({ page }) => {
  // Its end is below the edge: it is not armed, however long the click takes to come.
  await open(page, "long", { width: 640, height: 480 });
  const once = page.getByTestId("once");
  await once.click({ force: true });
  expect((await said(page)).answers).toEqual([]);
  await page.getByRole("button", { name: /Scroll to the end/ }).click();
  await expect(once).toBeEnabled();
  await once.click();
  expect((await said(page)).answers).toMatchObject([{ answer: "once", digest: "9".repeat(64) }]);
});

test("what does not fit must be scrolled to its end", async ({ page }) => {
  await open(page, "long", { width: 640, height: 480 });
  const arming = page.getByTestId("arming");
  await expect(arming).toHaveAttribute("data-state", "unseen");
  await page.getByRole("button", { name: /Scroll to the end/ }).click();
  await expect(arming).toHaveAttribute("data-state", "armed");
  expect((await said(page)).seen).toHaveLength(1);
});

test("every word of a long command is there, and none is cut", async ({ page }) => {
  await open(page, "long");
  const command = page.getByTestId("command");
  await expect(command).toContainText("src/module-0/index.test.ts");
  await expect(command).toContainText("src/module-239/index.test.ts");
  expect(await command.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
});

test("the answers stay where they are from first paint to armed", async ({ page }) => {
  await open(page, "push", { width: 640, height: 760 });
  const all = () =>
    page.evaluate(() =>
      ["command", "why", "env", "deny", "always", "once"].map((id) =>
        JSON.stringify(document.querySelector(`[data-testid=${id}]`)?.getBoundingClientRect()),
      ),
    );
  const first = await all();
  await expect(page.getByTestId("once")).toBeEnabled();
  expect(await all()).toEqual(first);
});

test("by keyboard alone: the note, then the denial", async ({ page }) => {
  await open(page, "push");
  await expect(page.getByTestId("deny")).toBeFocused();
  await page.keyboard.press("Enter");
  expect((await said(page)).answers, "Return answers nothing").toEqual([]);
  await page.keyboard.press("Control+d");
  await page.keyboard.type("use the release branch");
  await page.keyboard.press("Control+Enter");
  expect((await said(page)).answers).toMatchObject([{ answer: "deny", feedback: "use the release branch" }]);
});

test("Esc leaves the note first, and then denies", async ({ page }) => {
  await open(page, "push");
  await page.keyboard.press("Control+d");
  await page.keyboard.press("Escape");
  expect((await said(page)).answers).toEqual([]);
  await expect(page.getByTestId("deny")).toBeFocused();
  await page.keyboard.press("Escape");
  expect((await said(page)).answers).toMatchObject([{ answer: "deny" }]);
});

test("a changed command comes back as another question, which arms anew", async ({ page }) => {
  await open(page, "push", { width: 640, height: 800 });
  await expect(page.getByTestId("once")).toBeEnabled();
  await page.keyboard.press("Control+e");
  await expect(page.getByTestId("once"), "nothing is allowed while it is being changed").toBeDisabled();
  await page.getByTestId("edit").fill("git push --dry-run origin main");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByTestId("edited")).toContainText(
    "You changed this command. The agent asked for git fetch origin && sha256sum --check release.sums && git push origin main",
  );
  await expect(page.getByTestId("once")).toBeEnabled();
  await page.getByTestId("once").click();
  const { edits, answers, seen } = await said(page);
  expect(seen, "the end of what came of it was to be seen as well").toHaveLength(2);
  expect(edits).toMatchObject([{ digest: "a".repeat(64), text: "git push --dry-run origin main" }]);
  expect(answers, "the answer names what was shown after the change").toMatchObject([
    { answer: "once", digest: "f".repeat(64) },
  ]);
});

test("a change that would be denied anyway says so, and what is typed stays", async ({ page }) => {
  await open(page, "push");
  await page.keyboard.press("Control+e");
  await page.getByTestId("edit").fill("rm -rf /");
  await page.getByRole("button", { name: "Show it" }).click();
  await expect(page.getByRole("alert")).toContainText("Not changed: it is never allowed");
  await expect(page.getByTestId("edit")).toHaveValue("rm -rf /");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("command"), "Esc leaves the editor, and denies nothing").toBeVisible();
  expect((await said(page)).answers).toEqual([]);
});

test("an edited rule shows what it would have let through, as it is typed", async ({ page }) => {
  await open(page, "push", { width: 640, height: 900 });
  await page.getByRole("radio", { name: /git push … with any arguments/ }).check();
  await page.getByRole("button", { name: "Show which" }).click();
  await expect(page.getByTestId("preview")).toContainText("git push origin fix-login");
  await page.getByRole("button", { name: "Edit rule…" }).click();
  await page.getByRole("textbox", { name: "Rule to save" }).fill("g");
  await expect(page.getByTestId("preview")).toContainText("a rule needs a pattern");
  await page.getByRole("textbox", { name: "Rule to save" }).fill("git push origin *");
  await expect(page.getByTestId("preview")).toContainText("7 of the last 50");
  expect((await said(page)).previews.at(-1)).toMatchObject({
    proposal: "command",
    edited: "git push origin *",
  });
});

test("dangerous: Always is folded away, and cannot be taken until it is unfolded", async ({ page }) => {
  await open(page, "destructive");
  await expect(page.getByTestId("always")).toHaveCount(0);
  await page.getByText("Always allow…").click();
  await expect(page.getByTestId("always")).toBeEnabled();
});

test("a tool's question speaks of a tool: where its paths begin, no programs, no environment", async ({
  page,
}) => {
  await open(page, "tool");
  await expect(page.getByRole("alertdialog")).toHaveAccessibleName(/^builder wants to write .*login\.ts/);
  await expect(page.getByTestId("subject")).toContainText("export const redirect");
  await expect(page.getByTestId("cwd")).toContainText("Projects/site");
  await expect(page.getByTestId("env")).toHaveCount(0);
  await expect(page.getByTestId("program")).toHaveCount(0);
});

test("what the session asked before stands beside it", async ({ page }) => {
  await open(page, "push");
  await expect(page.getByTestId("recent")).toContainText(
    /git push --force origin main.*denied by you.*sha256sum release\.sums.*exit 0/s,
  );
});

test("less motion moves nothing", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "push");
  const moving = await page.evaluate(
    () => document.getAnimations().filter((one) => Number(one.effect?.getTiming().duration) > 1).length,
  );
  expect(moving).toBe(0);
});

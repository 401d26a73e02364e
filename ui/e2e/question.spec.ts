import { expect, test, type Locator, type Page } from "@playwright/test";
import { enlarge } from "./large";
import { armed, choose, fit, kinds, open, said, seriousInQuestion } from "./question";
import { serious, seriousInSize } from "./support";

for (const scene of kinds) {
  test(`${scene}: nothing serious for people who hear or press keys`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open(page, scene);
    expect(await seriousInQuestion(page)).toEqual([]);
    await inSight(page);
    await page.setViewportSize({ width: 460, height: 230 });
    expect(await seriousInSize(page)).toEqual([]);
    await inSight(page);
  });
}

test("its parts: nothing serious for people who hear or press keys", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "push");
  await page.keyboard.press("Control+i");
  await fit(page);
  expect(await seriousInQuestion(page), "the details").toEqual([]);
  await page.keyboard.press("Control+i");
  await page.getByRole("button", { name: "More ways to allow" }).click();
  expect(await seriousInQuestion(page), "a menu").toEqual([]);
  await page.getByTestId("always").click();
  await fit(page);
  await expect(page.getByTestId("preview")).toContainText("7 of your last 50");
  expect(await seriousInQuestion(page), "the card for Always").toEqual([]);
  await page.getByRole("button", { name: "Back" }).click();
  await choose(page, "deny", "note");
  expect(await seriousInQuestion(page), "the message").toEqual([]);
  await page.keyboard.press("Escape");
  await choose(page, "deny", "deny-always");
  expect(await seriousInQuestion(page), "a rule that denies").toEqual([]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+e");
  await fit(page);
  expect(await seriousInQuestion(page), "the command as it is changed").toEqual([]);
  await page.getByTestId("edit").fill("git push --dry-run");
  expect(await seriousInQuestion(page), "a change that can be reviewed").toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Change the Confinement" }).click();
  expect(await seriousInQuestion(page), "the menu of profiles").toEqual([]);
  for (const pill of ["denied", "running", "failed", "saved"]) {
    await page.goto(`/approval.html?scene=pill-${pill}`);
    await expect(page.getByTestId("pill")).toBeVisible();
    const cut = await page.getByTestId("pill").evaluate((one) => one.scrollWidth > one.clientWidth);
    expect(cut, `${pill} fits`).toBe(false);
    expect(await serious(page), pill).toEqual([]);
  }
});

async function inSight(page: Page) {
  await expect(page.getByTestId("deny"), "Deny is always in sight").toBeInViewport({ ratio: 1 });
  await expect(page.getByTestId("once")).toBeInViewport({ ratio: 1 });
}

/** What is read besides the command and the agent's own words, as words. */
const wordsBesides = (page: Page) =>
  page.getByTestId("question").evaluate((question) => {
    const copy = question.cloneNode(true) as HTMLElement;
    const aside = "[data-testid=command], [data-testid=says], .visually-hidden, [aria-hidden=true]";
    for (const one of copy.querySelectorAll(aside)) one.remove();
    for (const one of copy.querySelectorAll("p, span, button, h1, li")) one.append(" ");
    return copy.textContent?.match(/\S*\p{L}\S*/gu) ?? [];
  });

/** What is drawn as a filled button. */
const filled = (page: Page) =>
  page.evaluate(
    () =>
      [...document.querySelectorAll("footer .capsule, button, select, input")].filter(
        (one) => !/^rgba\(.*, 0\)$|transparent/.test(getComputedStyle(one).backgroundColor),
      ).length,
  );

for (const scene of ["uname", "commits", "tests", "remove"] as const) {
  test(`${scene}: small, calm and short`, async ({ page }) => {
    await open(page, scene);
    const height = (await said(page)).presented.at(-1)?.height ?? 0;
    expect(height, "with its details folded").toBeLessThanOrEqual(330);
    expect(height).toBeGreaterThan(180);
    await armed(page);
    expect(await filled(page), "two at most stand out").toBeLessThanOrEqual(2);
    const words = await wordsBesides(page);
    expect(words.length, words.join(" ")).toBeGreaterThan(10);
    expect(words.length, words.join(" ")).toBeLessThanOrEqual(30);
  });
}

for (const scene of ["known", "tool", "edit", "alike"] as const) {
  test(`${scene}: no higher than an ordinary question`, async ({ page }) => {
    await open(page, scene);
    expect((await said(page)).presented.at(-1)?.height).toBeLessThanOrEqual(330);
    await armed(page);
    expect(await filled(page), "two at most stand out").toBeLessThanOrEqual(2);
  });
}

test("a new script adds its lines, and nothing that stands out", async ({ page }) => {
  await open(page, "script");
  await expect(page.getByTestId("script")).toContainText("import argparse");
  await armed(page);
  expect(await filled(page), "two at most stand out").toBeLessThanOrEqual(2);
});

test("what is alike is one question, and its answer names each with its digest", async ({ page }) => {
  await open(page, "alike");
  await expect(page.getByRole("alertdialog")).toHaveAccessibleName(/6 times$/);
  await expect(page.getByTestId("command")).toHaveText(/https:\/\/example\.com\/page\/1–6$/);
  await page.getByTestId("show-all").click();
  await fit(page);
  await expect(page.getByTestId("member")).toHaveCount(6);
  await expect(page.getByTestId("member").nth(3)).toHaveText(/page\/4$/);
  await armed(page);
  await expect(page.getByTestId("once")).toHaveText(/Allow These 6/);
  await page.keyboard.press("Control+Enter");
  await expect.poll(async () => (await said(page)).answers).toMatchObject([{ answer: "once" }]);
  const { answers, others } = await said(page);
  const named = [answers[0]?.digest, ...(others[0] ?? []).map(({ digest }) => digest)];
  expect(new Set(named).size, "each has its own").toBe(6);
});

test("what is alike is denied as one, and shown one at a time on demand", async ({ page }) => {
  await open(page, "alike");
  await armed(page);
  await page.keyboard.press("Escape");
  await expect.poll(async () => (await said(page)).others[0]).toHaveLength(5);
  await open(page, "alike");
  await armed(page);
  await choose(page, "allow", "singly");
  await expect(page.getByTestId("once")).toHaveText(/Allow Once/);
  await armed(page);
  await page.getByTestId("once").click();
  await expect.poll(async () => (await said(page)).others, "the others are not meant").toEqual([[]]);
});

test("those that came later wait until they are wanted", async ({ page }) => {
  await open(page, "later");
  await page.getByTestId("later").click();
  await expect.poll(async () => (await said(page)).gathers).toEqual([true]);
  expect((await said(page)).answers).toEqual([]);
});

test("its height is known before the window has its size, and told again when it changes", async ({
  page,
}) => {
  // As the app makes it: hidden windows may have any size.
  await page.setViewportSize({ width: 200, height: 100 });
  await page.goto("/approval.html?scene=push");
  await expect(page.getByTestId("question")).toBeAttached();
  const height = async () => (await said(page)).presented.at(-1)?.height ?? 0;
  await expect.poll(height).toBeGreaterThan(0);
  const first = (await said(page)).presented[0]?.height;
  await page.setViewportSize({ width: 460, height: first ?? 0 });
  expect(await height()).toBe(first);
  expect(await scrolls(page), "all of it is there at once").toBe(false);
  await page.keyboard.press("Control+i");
  await expect.poll(height).toBeGreaterThan(first ?? 0);
  await page.keyboard.press("Control+i");
  await expect.poll(height).toBe(first);
  await page.keyboard.press("Control+d");
  await expect.poll(height).toBeGreaterThan(first ?? 0);
});

const scrolls = (page: Page) =>
  page.evaluate(() => {
    const scroller = document.querySelector(".scroller");
    return !scroller || scroller.scrollHeight > scroller.clientHeight;
  });

test("a click before arming does nothing, the one after it allows", async ({ page }) => {
  // Its end is below the edge: it is not armed, however long the click takes to come.
  await open(page, "everywhere-long", 400);
  const once = page.getByTestId("once");
  await once.click({ force: true });
  expect((await said(page)).answers).toEqual([]);
  await page.getByRole("button", { name: "Scroll to allow" }).click();
  await expect(once).toBeEnabled();
  await once.click();
  await expect.poll(async () => (await said(page)).answers).toMatchObject([{ answer: "once" }]);
});

test("what does not fit must be opened, and scrolled to its end", async ({ page }) => {
  await open(page, "files");
  const arming = page.getByTestId("arming");
  await expect(page.getByTestId("more")).toHaveText("118 more in src/ ending in .ts");
  await expect(arming).toHaveAttribute("data-state", "unseen");
  await page.getByRole("button", { name: "Show all to allow" }).click();
  await fit(page);
  const command = page.getByTestId("command");
  await expect(command).toContainText("src/button-dark.story.ts");
  expect(await command.evaluate((one) => one.scrollWidth <= one.clientWidth), "no word is cut").toBe(true);
  await expect(arming).toHaveAttribute("data-state", "unseen");
  await page.getByRole("button", { name: "Scroll to allow" }).click();
  await expect(arming).toHaveAttribute("data-state", "armed");
  expect((await said(page)).seen).toHaveLength(1);
});

test("a message in a here-document is calm, and read to its end before it is allowed", async ({ page }) => {
  await open(page, "heredoc");
  expect((await said(page)).presented.at(-1)?.height, "no higher than others").toBeLessThanOrEqual(330);
  const command = page.getByTestId("command");
  await expect(command.locator(".escaped"), "nothing looks like an attack").toHaveCount(0);
  await expect(command.locator(".mark", { hasText: /./ }), "one mark a step").toHaveText(["●", "✓"]);
  await expect(page.getByTestId("step")).toHaveText([
    /git commit -m "\$\($/,
    /cat <<'EOF'¶$/,
    /^Fix the login redirect.*5 more lines.*¶.*EOF¶.*\)"$/s,
  ]);
  await armedBy(page, page.getByRole("button", { name: "Show all to allow" }));
  await expect(command).toContainText("It goes back to that link now.");
  expect(await filled(page), "two at most stand out").toBeLessThanOrEqual(2);
  await page.getByTestId("more").click();
  await expect(command).not.toContainText("It goes back to that link now.");
});

/** The question counts as seen by this button, and not before. */
async function armedBy(page: Page, button: Locator) {
  await expect(page.getByTestId("arming")).toHaveAttribute("data-state", "unseen");
  expect((await said(page)).seen).toEqual([]);
  await button.click();
  await fit(page);
  await armed(page);
}

test("numbered operands move to the next line as one word", async ({ page }) => {
  // At this size the first line ends within the numbers.
  await enlarge(page, 1.25);
  await open(page, "long");
  const numbered = page.getByTestId("numbered");
  await expect(numbered).toHaveText("src/module-0–239/index.test.ts");
  const lines = () =>
    numbered.evaluate((one) => {
      const all = document.createRange();
      all.selectNodeContents(one);
      return new Set([...all.getClientRects()].map(({ bottom }) => Math.round(bottom))).size;
    });
  expect(await lines()).toBe(1);
});

test("numbered operands are one, and nothing of them is lost", async ({ page }) => {
  await open(page, "long");
  expect((await said(page)).presented.at(-1)?.height).toBeLessThanOrEqual(330);
  await expect(page.getByTestId("command")).toContainText("src/module-0–239/index.test.ts");
  await armed(page);
  await page.getByRole("button", { name: "Show All 240" }).click();
  await expect(page.getByTestId("command")).toContainText("src/module-239/index.test.ts");
});

test("the answers stay where they are from first paint to armed", async ({ page }) => {
  await open(page, "push");
  const all = () =>
    page.evaluate(() =>
      ["command", "why", "details", "deny", "once"].map((id) =>
        JSON.stringify(document.querySelector(`[data-testid=${id}]`)?.getBoundingClientRect()),
      ),
    );
  const first = await all();
  await expect(page.getByTestId("once")).toBeEnabled();
  expect(await all()).toEqual(first);
});

test("the ring of Deny shows while it has the focus, also where no key was pressed", async ({ page }) => {
  await open(page, "push");
  await page.getByTestId("command").click();
  const ring = () => page.getByTestId("deny-capsule").evaluate((one) => getComputedStyle(one).boxShadow);
  await expect.poll(ring).toBe("none");
  await page.getByTestId("deny").evaluate((one) => one.focus());
  await expect.poll(ring).not.toBe("none");
});

test("by keyboard alone: the message, then the denial", async ({ page }) => {
  await open(page, "push");
  await expect(page.getByTestId("deny")).toBeFocused();
  await page.keyboard.press("Enter");
  expect((await said(page)).answers, "Return answers nothing").toEqual([]);
  await armed(page);
  await page.keyboard.press("Control+d");
  await expect(page.getByRole("textbox"), "one can write at once").toBeFocused();
  await page.keyboard.type("use the release branch");
  await page.keyboard.press("Control+Enter");
  await expect
    .poll(async () => (await said(page)).answers)
    .toMatchObject([{ answer: "deny", feedback: "use the release branch" }]);
});

test("by keyboard alone: a menu", async ({ page }) => {
  await open(page, "push");
  await page.getByRole("button", { name: "More ways to deny" }).focus();
  await page.keyboard.press("Space");
  await expect(page.getByTestId("note")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByTestId("later")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "More ways to deny" })).toBeFocused();
  expect((await said(page)).answers).toEqual([]);
});

test("Esc leaves the message first, and then denies", async ({ page }) => {
  await open(page, "push");
  await armed(page);
  await page.keyboard.press("Control+d");
  await page.keyboard.press("Escape");
  expect((await said(page)).answers).toEqual([]);
  await expect(page.getByTestId("deny")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect.poll(async () => (await said(page)).answers).toMatchObject([{ answer: "deny" }]);
});

test("a dangerous one is held, and a click is no hold", async ({ page }) => {
  await page.clock.install();
  await open(page, "destructive");
  await armed(page);
  const once = page.getByTestId("once");
  await expect(once).toHaveText("Hold to Allow");
  // However long the click takes here, none of the page's time passes. What it would start comes when time goes on.
  await page.clock.pauseAt(Date.now() + 10_000);
  await once.click();
  await page.clock.runFor(2000);
  expect((await said(page)).answers).toEqual([]);
  await page.clock.resume();
  await once.hover();
  await page.mouse.down();
  await expect.poll(async () => (await said(page)).answers).toMatchObject([{ answer: "once" }]);
  await page.mouse.up();
});

test("a changed command comes back as another question, which arms anew", async ({ page }) => {
  await open(page, "push");
  await expect(page.getByTestId("once")).toBeEnabled();
  await choose(page, "allow", "change");
  await expect(page.getByTestId("once"), "nothing is allowed while it is being changed").toHaveCount(0);
  await expect(page.getByRole("button", { name: "Review Change" })).toBeDisabled();
  await page.getByTestId("edit").fill("git push --dry-run origin main");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByTestId("edited")).toContainText(
    "You changed this command. The agent asked for git fetch origin && sha256sum --check release.sums && git push origin main",
  );
  await fit(page);
  await expect(page.getByTestId("once")).toBeEnabled();
  await page.getByTestId("once").click();
  await expect
    .poll(async () => (await said(page)).answers, "it names what was shown after the change")
    .toMatchObject([{ answer: "once", digest: "f".repeat(64) }]);
  const { edits, seen } = await said(page);
  expect(seen, "the end of what came of it was to be seen as well").toHaveLength(2);
  expect(edits).toMatchObject([{ digest: "a".repeat(64), text: "git push --dry-run origin main" }]);
});

test("a change that would be denied anyway says so, and what is typed stays", async ({ page }) => {
  await open(page, "push");
  await page.keyboard.press("Control+e");
  await page.getByTestId("edit").fill("rm -rf /");
  await page.getByRole("button", { name: "Review Change" }).click();
  await expect(page.getByRole("alert")).toContainText("Not changed: it is never allowed");
  await expect(page.getByTestId("edit")).toHaveValue("rm -rf /");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("command"), "Esc leaves the editor, and denies nothing").toBeVisible();
  expect((await said(page)).answers).toEqual([]);
});

test("once, with fewer rights: judged again and shown, before anything is allowed", async ({ page }) => {
  await open(page, "push");
  await choose(page, "allow", "confined");
  await expect(page.getByTestId("confinement")).toContainText("Confined: no network");
  const { edits, answers } = await said(page);
  expect(edits).toMatchObject([{ confine: "project" }]);
  expect(answers).toEqual([]);
});

test("a click on the line that says its rights offers fewer", async ({ page }) => {
  await open(page, "push");
  await page.getByTestId("confinement").getByText("Runs with your full access").click();
  await page.getByRole("menuitem", { name: "Confine to This Project" }).click();
  await expect.poll(async () => (await said(page)).edits).toMatchObject([{ confine: "project" }]);
});

test("what cannot be saved yet does not look as if it could", async ({ page }) => {
  await open(page, "push");
  await armed(page);
  await choose(page, "allow", "always");
  const save = page.locator(".capsule:has(> [data-testid=save])");
  await expect(save).toHaveClass(/\barmed\b/);
  await page.getByRole("button", { name: "Edit Rule…" }).click();
  await page.getByRole("textbox", { name: "Rule to save" }).fill("g");
  await expect(page.getByTestId("save")).toBeDisabled();
  await expect(save).not.toHaveClass(/\barmed\b/);
});

test("a rule says at once what it does not cover, and names what a word is open for", async ({ page }) => {
  await open(page, "push");
  await choose(page, "allow", "always");
  await expect(page.getByTestId("left-out")).toHaveText("Doesn’t cover --delete or --force.");
  await page.getByRole("radio", { name: "this exact command" }).check();
  for (const word of ["origin", "main"]) await page.getByRole("button", { name: word, exact: true }).click();
  await expect(
    page.getByRole("radio", { checked: true }),
    "the offer is not what is saved any more",
  ).toHaveAccessibleName("this exact command, as changed below");
  const chips = page.getByTestId("tokens").locator(":scope > *");
  await expect(chips).toHaveText(["git", "push", "any remote", "any branch"]);
  await expect.poll(async () => (await said(page)).previews.at(-1)?.edited).toBe("git push * *");
});

test("a rule shows what it would have answered, as it is edited", async ({ page }) => {
  await open(page, "push");
  await choose(page, "allow", "always");
  await fit(page);
  await page.getByRole("button", { name: "Show Them" }).click();
  await expect(page.getByTestId("preview")).toContainText("git push origin fix-login");
  await page.getByRole("button", { name: "Edit Rule…" }).click();
  await page.getByRole("textbox", { name: "Rule to save" }).fill("g");
  await expect(page.getByTestId("preview")).toContainText("a rule needs a pattern");
  await page.getByRole("textbox", { name: "Rule to save" }).fill("git push origin *");
  await expect(page.getByTestId("preview")).toContainText("7 of your last 50");
  await expect(page.getByTestId("left-out")).toHaveText("Doesn’t cover --delete or --force.");
  await fit(page);
  await expect
    .poll(async () => (await said(page)).previews.at(-1))
    .toMatchObject({
      proposal: "command",
      edited: "git push origin *",
    });
});

test("a rule that allows more than was shown says so, and is saved by a second press", async ({ page }) => {
  await open(page, "push");
  await choose(page, "allow", "always");
  await page.getByRole("radio", { name: "this exact command" }).check();
  await page.getByRole("button", { name: "origin", exact: true }).click();
  await expect(page.getByTestId("added")).toHaveText(/^Also: send data elsewhere; run any program/);
  await fit(page);
  const save = page.getByTestId("save");
  await expect(save).toHaveText("Save Broad Rule…");
  await save.dblclick();
  await expect(save, "the second click of a double click is dead").toHaveText("Allow and Save Broad Rule");
  expect((await said(page)).answers).toEqual([]);
  await expect(page.getByRole("button", { name: "Back" })).toBeInViewport({ ratio: 1 });
  await expect(save).toBeInViewport({ ratio: 1 });
  await save.click();
  await expect
    .poll(async () => (await said(page)).answers)
    .toMatchObject([{ edited: "git push * main", broad: true }]);
});

test("dangerous: Always is in the details, and is held as well", async ({ page }) => {
  await open(page, "destructive");
  await expect(page.getByRole("button", { name: "More ways to allow" })).toHaveCount(0);
  await page.keyboard.press("Control+i");
  await page.getByTestId("always").click();
  await fit(page);
  await expect(page.getByRole("button", { name: "Hold to Allow and Save" })).toBeEnabled();
});

test("a tool's question speaks of a tool: where its paths begin, no programs, no environment", async ({
  page,
}) => {
  await open(page, "tool");
  await expect(page.getByRole("alertdialog")).toHaveAccessibleName(/^builder wants to write .*login\.ts/);
  await expect(page.getByTestId("subject")).toContainText("export const redirect");
  await expect(page.getByTestId("cwd")).toContainText("Projects/site");
  await expect(page.getByTestId("confinement")).toContainText("Runs in builder, with its tool write_file");
  await page.keyboard.press("Control+i");
  await expect(page.getByTestId("env")).toHaveCount(0);
  await expect(page.getByTestId("program")).toHaveCount(0);
});

test("a fetch has its host large, and a call its fields by name", async ({ page }) => {
  await open(page, "fetch");
  const host = page.getByTestId("subject").getByText("docs.example.com", { exact: true });
  const url = page.getByTestId("subject").getByText("https://docs.example.com/", { exact: false });
  const size = (one: typeof host) => one.evaluate((text) => parseFloat(getComputedStyle(text).fontSize));
  expect(await size(host)).toBeGreaterThan(await size(url));
  await open(page, "mcp");
  await expect(page.getByTestId("subject")).toContainText(/github.*create_pull_request.*title.*Add a login/s);
});

test("what the session asked before stands in the details", async ({ page }) => {
  await open(page, "push");
  await page.keyboard.press("Control+i");
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

test("larger text pushes nothing off the side, and leaves the answers in sight", async ({ page }) => {
  await open(page, "push", 420);
  await page.addStyleTag({ content: "html { zoom: 1.3 } .panel { width: 353px !important }" });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  expect(wide).toBe(false);
  await inSight(page);
});

// Stories told by keys alone: no click, and no focus that a test sets.

import { expect, test, type Locator, type Page } from "@playwright/test";
import { armed, choose, fit, open, said } from "./question";
import { screens, sizes } from "./screens";

/** A button that is pressed a second time is dead in between, and still has the focus until the next frame. */
async function aliveAgain(one: Locator) {
  await expect(one, "it is armed again").toBeEnabled();
  await expect(one, "it has the keys again").toBeFocused();
}

/** Goes there by Tab, from wherever the focus is, once it is there. */
async function tabTo(page: Page, wanted: Locator) {
  await expect(wanted).toBeAttached();
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press("Tab");
    if (await focused(wanted)) return;
  }
  await expect(wanted, "Tab comes there").toBeFocused();
}

const focused = (one: Locator) => one.evaluate((element) => element === document.activeElement);

/** Goes down an open menu to one of its items. */
async function downTo(page: Page, id: string) {
  await expect(page.getByRole("menuitem").first(), "the menu has the keys").toBeFocused();
  const wanted = page.getByTestId(id);
  for (let down = 0; down < 6 && !(await focused(wanted)); down++) await page.keyboard.press("ArrowDown");
  await expect(wanted).toBeFocused();
}

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });

test("Always: an offer, a word opened, where and how long, saved", async ({ page }) => {
  await open(page, "push");
  await armed(page);
  await tabTo(page, button(page, "More ways to allow"));
  await page.keyboard.press("Space");
  await downTo(page, "always");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("radio").first(), "the card has the keys").toBeFocused();
  await page.keyboard.press("ArrowDown");
  await tabTo(page, button(page, "main"));
  await page.keyboard.press("Space");
  await expect(button(page, "any branch")).toBeFocused();
  const span = page.getByLabel("How long");
  await tabTo(page, span);
  // Letters that come slowly begin another word, and a space then opens the list.
  for (let down = 0; down < 6 && (await span.inputValue()) !== "hour"; down++)
    await page.keyboard.press("ArrowDown");
  await expect(page.getByTestId("save")).toBeEnabled();
  await tabTo(page, page.getByTestId("save"));
  await page.keyboard.press("Enter");
  expect((await said(page)).answers, "Return saves nothing").toEqual([]);
  await page.keyboard.press("Space");
  await expect
    .poll(async () => (await said(page)).answers)
    .toMatchObject([
      { answer: "always", proposal: "exact", edited: "git push origin *", lifetime: { kind: "until" } },
    ]);
});

test("a broad rule: the second press needs no way back to the button", async ({ page }) => {
  await open(page, "push");
  await armed(page);
  await choose(page, "allow", "always");
  await expect(page.getByRole("radio").first(), "the card has the keys").toBeFocused();
  await page.keyboard.press("ArrowDown");
  await tabTo(page, button(page, "origin"));
  await page.keyboard.press("Space");
  await expect(page.getByTestId("save")).toHaveText("Save Broad Rule…");
  await expect(page.getByTestId("save")).toBeEnabled();
  await tabTo(page, page.getByTestId("save"));
  await page.keyboard.press("Space");
  await expect(page.getByTestId("save")).toHaveText("Allow and Save Broad Rule");
  await aliveAgain(page.getByTestId("save"));
  await page.keyboard.press("Space");
  await expect
    .poll(async () => (await said(page)).answers)
    .toMatchObject([{ edited: "git push * main", broad: true }]);
});

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
  await expect.poll(async () => (await said(page)).edits).toMatchObject([{ confine: "project" }]);
  await expect(page.getByTestId("confinement")).toContainText("Confined: no network");
  await expect(page.getByTestId("deny"), "Deny has the keys again").toBeFocused();
});

test("all that waits is reached from the panel, and those that came later are gathered", async ({ page }) => {
  await open(page, "queued");
  await tabTo(page, page.getByTestId("queue"));
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await said(page)).inbox).toBe(1);
  await page.keyboard.press("Control+]");
  await expect.poll(async () => (await said(page)).inbox).toBe(2);
  await page.keyboard.press("Control+d");
  await page.keyboard.press("Control+]");
  expect((await said(page)).inbox, "a message that is written stays").toBe(2);
  await open(page, "later");
  await page.keyboard.press("Control+]");
  expect((await said(page)).inbox, "nothing else waits").toBe(0);
  await tabTo(page, page.getByTestId("later"));
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await said(page)).gathers).toEqual([true]);
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
    await expect.poll(async () => (await said(page)).acts).toEqual([act]);
  }
  await page.goto("/approval.html?scene=pill-saved");
  await expect(page.getByTestId("pill")).toBeVisible();
  await page.keyboard.press("Control+z");
  await expect.poll(async () => (await said(page)).acts).toEqual(["undo"]);
});

test("a command is changed, put back, changed again and reviewed", async ({ page }) => {
  await open(page, "push");
  await armed(page);
  await page.keyboard.press("Control+e");
  await expect(page.getByTestId("edit")).toBeFocused();
  await page.keyboard.type(" --dry-run");
  await tabTo(page, button(page, "Cancel"));
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("deny"), "Deny has the keys again").toBeFocused();
  await page.keyboard.press("Control+e");
  await expect(page.getByTestId("edit")).toBeFocused();
  await page.keyboard.press("Control+Enter");
  expect((await said(page)).edits, "nothing was changed").toEqual([]);
  await page.keyboard.type(" --dry-run");
  await tabTo(page, button(page, "Review Change"));
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("edited")).toContainText("You changed this command.");
  const { edits, answers } = await said(page);
  expect(edits).toMatchObject([{ text: expect.stringMatching(/ --dry-run$/) }]);
  expect(answers).toEqual([]);
});

test("what is dangerous: read in its details, and allowed by two presses alone", async ({ page }) => {
  await open(page, "destructive");
  await armed(page);
  await page.keyboard.press("Control+i");
  await tabTo(page, button(page, "Copy Command"));
  await tabTo(page, page.locator("summary", { hasText: "Raw JSON" }));
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("raw")).toContainText('"digest"');
  await fit(page);
  await armed(page);
  await tabTo(page, button(page, "Hold to Allow"));
  await page.keyboard.press("Space");
  expect((await said(page)).answers, "one press allows nothing").toEqual([]);
  await aliveAgain(button(page, "Press Again to Allow"));
  await page.keyboard.press("Enter");
  expect((await said(page)).answers, "nor does Return").toEqual([]);
  await page.keyboard.press("Space");
  await expect.poll(async () => (await said(page)).answers).toMatchObject([{ answer: "once" }]);
});

test("a rule that denies, with a message, and an agent that is stopped", async ({ page }) => {
  const item = async (id: string) => {
    await tabTo(page, button(page, "More ways to deny"));
    await page.keyboard.press("Space");
    await downTo(page, id);
    await page.keyboard.press("Enter");
  };
  await open(page, "push");
  await armed(page);
  await item("deny-always");
  await expect(page.getByRole("textbox"), "one can write at once").toBeFocused();
  await page.keyboard.type("never from here");
  await tabTo(page, button(page, "Always Deny"));
  await page.keyboard.press("Space");
  await expect
    .poll(async () => (await said(page)).answers)
    .toMatchObject([{ answer: "deny-always", feedback: "never from here" }]);
  await open(page, "push");
  await armed(page);
  await item("stop");
  await expect.poll(async () => (await said(page)).answers).toMatchObject([{ answer: "deny-all" }]);
});

const focusStops: Record<string, (page: Page) => Promise<void>> = {
  "a question": (page) => open(page, "push"),
  "its details": async (page) => {
    await open(page, "push");
    await page.keyboard.press("Control+i");
  },
  "what scrolls": (page) => open(page, "everywhere-long", 400),
  "a dangerous question": (page) => open(page, "destructive"),
  "the card for Always": async (page) => {
    await open(page, "push");
    await choose(page, "allow", "always");
  },
  "a command that is changed": async (page) => {
    await open(page, "push");
    await page.keyboard.press("Control+e");
  },
  "a message": async (page) => {
    await open(page, "push");
    await page.keyboard.press("Control+d");
  },
  "the popover": async (page) => {
    await page.goto("/popover.html");
    await expect(page.getByTestId("popover")).toBeVisible();
  },
  ...screens,
};

for (const contrast of ["no-preference", "more"] as const)
  for (const [name, come] of Object.entries(focusStops))
    test(`${name}, contrast ${contrast}: it shows where the keys are`, async ({ page }) => {
      await page.emulateMedia({ contrast, reducedMotion: "reduce" });
      await page.setViewportSize(sizes.large);
      await come(page);
      const unseen: string[] = [];
      for (let presses = 0; presses < 60; presses++) {
        await page.keyboard.press("Tab");
        const stop = await page.evaluate(markOfFocus);
        if (stop === null) break;
        if (!stop.marked) unseen.push(stop.name);
      }
      expect(unseen).toEqual([]);
    });

/** Whether what has the focus looks otherwise than without; null once all have been there. */
function markOfFocus(): { name: string; marked: boolean } | null {
  const one = document.activeElement;
  if (!(one instanceof HTMLElement) || one === document.body || one.dataset.wasFocused) return null;
  one.dataset.wasFocused = "yes";
  const around = [one, one.parentElement, one.closest("label"), one.closest(".editor")];
  const look = () =>
    around
      .filter((each) => each !== null)
      .map((each) => {
        const { outlineStyle, outlineWidth, outlineColor, boxShadow, backgroundColor } =
          getComputedStyle(each);
        return [outlineStyle, outlineWidth, outlineColor, boxShadow, backgroundColor].join();
      })
      .join("\n");
  const focused = look();
  one.blur();
  const marked = look() !== focused;
  one.focus({ preventScroll: true });
  const label = one.getAttribute("aria-label") ?? one.textContent?.trim().slice(0, 40);
  return { name: `${one.tagName}.${one.className} ${label}`, marked };
}

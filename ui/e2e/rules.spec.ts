import { expect, test, type Page } from "@playwright/test";
import { nothingSerious, nothingSideways, openRules, rule } from "./support";

test.beforeEach(async ({ page }) => {
  await page.setViewportSize({ width: 1380, height: 860 });
});

/** Edits a rule in its row, and tries again if the row was replaced between the two clicks and not edited a little later. */
async function edited(page: Page, pattern: string) {
  const field = page.getByRole("textbox", { name: "Pattern" });
  await expect(async () => {
    if (!(await field.isVisible())) await rule(page, pattern).dblclick({ timeout: 5000 });
    await expect(field).toBeVisible({ timeout: 2000 });
  }).toPass();
  return field;
}

test("the allowlist shows where, when, what and from where", async ({ page }) => {
  await openRules(page);
  await expect(rule(page, "git push *")).toContainText(
    /anywhere.*1 h ago.*git push origin main.*48.*2\.51\.0.*always/,
  );
  await expect(rule(page, "/opt/homebrew/bin/fd")).toContainText("~/Projects/site");
  await rule(page, "/opt/homebrew/bin/rg").click();
  await expect(page.getByTestId("inspector")).toContainText(/5,242,880 bytes.*SHA-256.*9f3ac41e/);
});

test("a pattern is edited in its row, checked as it is typed, and keeps its use", async ({ page }) => {
  await openRules(page);
  const field = await edited(page, "git push *");
  await field.fill("sh *");
  await expect(field).toHaveAccessibleDescription(/would allow every program that it can start/);
  await field.press("Enter");
  await expect(field, "what is wrong is not saved, and nothing is lost").toHaveValue("sh *");
  await field.fill("git fetch *");
  await expect(field).toHaveAccessibleDescription(/Would match 3 of the last 7 requests/);
  await field.press("Enter");
  await expect(rule(page, "git fetch *").first()).toContainText("48");
  await expect(page.getByRole("grid", { name: "Rules" })).toBeFocused();
});

test("esc leaves a pattern as it was", async ({ page }) => {
  await openRules(page);
  await (await edited(page, "npm run build")).fill("something else");
  await page.keyboard.press("Escape");
  await expect(rule(page, "npm run build")).toHaveCount(1);
});

test("removed rules come back by undo, whole, and go again by redo", async ({ page }) => {
  await openRules(page);
  const rg = rule(page, "/opt/homebrew/bin/rg");
  await rg.hover();
  await page.getByRole("button", { name: "Remove /opt/homebrew/bin/rg" }).click();
  await expect(rg).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(rg, "with its use").toContainText("1,911");
  await page.getByRole("button", { name: "Redo" }).click();
  await expect(rg).toHaveCount(0);
  await page.getByRole("grid", { name: "Rules" }).focus();
  await page.keyboard.press("Control+z");
  await expect(rg).toHaveCount(1);
});

test("by keyboard alone: choose, remove several, edit", async ({ page }) => {
  await openRules(page);
  await page.getByRole("grid", { name: "Rules" }).focus();
  await page.keyboard.press("ArrowDown");
  await expect(rule(page, "~/.local/bin/**"), "heads are passed over").toHaveAttribute(
    "aria-selected",
    "true",
  );
  await page.keyboard.press("Shift+ArrowDown");
  await expect(page.getByTestId("inspector")).toContainText("2 rules selected");
  await page.keyboard.press("Delete");
  await expect(page.getByText("Allowed 7")).toBeVisible();
  await page.keyboard.press("Control+z");
  await expect(page.getByText("Allowed 9")).toBeVisible();
  await page.keyboard.press("End");
  await expect(page.getByTestId("rule").last()).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("textbox", { name: "Pattern" })).toBeFocused();
});

test("sorts by any column, and says so", async ({ page }) => {
  await openRules(page);
  const uses = page.getByRole("columnheader", { name: "Uses" });
  await uses.getByRole("button").click();
  await expect(uses).toHaveAttribute("aria-sort", "descending");
  await expect(page.getByTestId("rule").first()).toContainText("1,911");
  await uses.getByRole("button").click();
  await expect(page.getByTestId("rule").first()).toContainText("/opt/homebrew/bin/fd");
});

test("a click fixes a rule: covered goes, changed is bound again, too broad is narrowed in the editor", async ({
  page,
}) => {
  await openRules(page);
  await page.getByRole("button", { name: "covered by git push *: Remove it" }).click();
  await expect(page.getByText("Allowed 8")).toBeVisible();
  await page.getByRole("button", { name: "changed: Allow the program as it is now" }).click();
  await expect(page.getByText("Fixed /opt/homebrew/bin/bird")).toBeVisible();
  await page.getByRole("button", { name: /^too broad/ }).click();
  await expect(page.getByTestId("rule-editor")).toBeVisible();
});

test("a clean-up removes what is ticked, and undo brings it back", async ({ page }) => {
  await openRules(page);
  await page.getByRole("button", { name: "2 redundant rules" }).click();
  await page.getByRole("checkbox", { name: /fd/ }).uncheck();
  await page.getByRole("button", { name: "Remove 1 rule", exact: true }).click();
  await expect(page.getByText("Allowed 8")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Allowed 9")).toBeVisible();
});

test("a rule lasts until a time, has a reason and examples", async ({ page }) => {
  await openRules(page);
  await page.getByRole("button", { name: "Add Rule…" }).click();
  const editor = page.getByTestId("rule-editor");
  await editor.getByLabel("Pattern").fill("npm publish");
  await editor.getByLabel("Lasts").selectOption("until a time…");
  await editor.getByLabel("Until").fill("2030-01-02T03:04");
  await editor.getByLabel("Why").fill("release week");
  await editor.getByText("Advanced").click();
  await editor.getByLabel("Must match", { exact: true }).fill("npm publish --tag next");
  await editor.getByRole("button", { name: "Save" }).click();
  await expect(rule(page, "npm publish")).toContainText("until");
  await expect(page.getByTestId("inspector")).toContainText("release week");
});

test("a broad rule says what it also covers, and is confirmed once, by keyboard", async ({ page }) => {
  await page.setViewportSize({ width: 860, height: 520 });
  await openRules(page);
  await page.getByRole("button", { name: "Add Rule…" }).click();
  const editor = page.getByTestId("rule-editor");
  await page.keyboard.type("find *");
  await expect(editor.getByTestId("also")).toContainText("Also: delete files (-delete)");
  await expect(editor.getByRole("button", { name: "Save Broad Rule…" })).toBeInViewport({ ratio: 1 });
  await nothingSerious(page);
  await page.keyboard.press("Enter");
  const asked = page.getByRole("dialog", { name: "Save a broad rule?" });
  await expect(asked.getByRole("button", { name: "Cancel" }), "Return confirms nothing").toBeFocused();
  await page.keyboard.press("Escape");
  await expect(asked).toHaveCount(0);
  await expect(editor.getByLabel("Pattern")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(asked.getByRole("button", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(asked.getByRole("button", { name: "Save Broad Rule" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(rule(page, "find *")).toContainText("broad");
});

test("rules are copied to another agent, once", async ({ page }) => {
  await openRules(page);
  const copy = async () => {
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Copy to Agent…" }).click();
    await page.getByLabel("Agent", { exact: true }).selectOption("release");
    await page.getByRole("dialog").getByRole("button", { name: "Copy" }).click();
  };
  await copy();
  await expect(page.getByText("Copied 10 rules to release")).toBeVisible();
  await copy();
  await expect(page.getByText("Copied 0 rules to release")).toBeVisible();
});

test("rules are exported, and imported with every refusal named", async ({ page }) => {
  await openRules(page);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Export" }).click();
  await expect(page.getByText("Saved as ~/Downloads/postern-rules-builder.json")).toBeVisible();
  const saved = await page.evaluate(() => window.fakeSettings?.saved.get("postern-rules-builder.json"));
  expect(JSON.parse(saved ?? "").rules.length).toBeGreaterThan(5);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Import…" }).click();
  const paste = page.getByLabel("Or paste it here");
  await paste.fill("{oops");
  await expect(page.getByText(/This isn’t a rule file/)).toBeVisible();
  const rules = ["git bisect *", "sh *", "git push *"].map((text) => ({
    effect: "allow",
    agent: "builder",
    text,
  }));
  await paste.fill(JSON.stringify({ version: 1, rules }));
  await expect(page.getByText("1 new rule, 1 already there, 1 refused")).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "sh *" })).toContainText(
    "would allow every program",
  );
  await page.getByRole("button", { name: "Import 1 rule", exact: true }).click();
  await expect(rule(page, "git bisect *")).toHaveCount(1);
});

test("ten thousand rules are a short list in the page, sorted and searched at once", async ({ page }) => {
  await openRules(page, "builder", "?rules=10000");
  await expect(page.getByText("Allowed 10,009")).toBeVisible();
  expect(await page.getByTestId("rule").count()).toBeLessThan(60);
  await page.getByRole("columnheader", { name: "Rule" }).getByRole("button").click();
  await page.getByRole("columnheader", { name: "Rule" }).getByRole("button").click();
  await page.getByRole("grid", { name: "Rules" }).focus();
  await page.keyboard.press("End");
  await expect(page.getByTestId("rule").last()).toBeVisible();
  await page.getByRole("searchbox", { name: "Search rules" }).fill("tool-9999");
  await expect(page.getByTestId("rule")).toHaveCount(1);
  await page.getByRole("searchbox", { name: "Search rules" }).fill("no such thing");
  await expect(page.getByText("No results")).toBeVisible();
});

// WebKit doesn't repaint all text of a row that was hidden before.
test("the rows of a long list are never hidden", async ({ page }) => {
  await page.addInitScript(() => {
    const seen = window as { hiddenRows?: string[] };
    const hidden: string[] = (seen.hiddenRows = []);
    new MutationObserver((changes) => {
      for (const { target, addedNodes } of changes) {
        for (const one of [target, ...addedNodes]) {
          if (!(one instanceof HTMLElement) || one.style.visibility !== "hidden") continue;
          if (one.querySelector("[role=row], [role=option]")) hidden.push(one.textContent);
        }
      }
    }).observe(document, { childList: true, subtree: true, attributeFilter: ["style"] });
  });
  for (const [name, kind] of [
    ["activity", "request"],
    ["rules", "rule"],
  ] as const) {
    await page.goto(`/settings.html#${name}`);
    await expect(page.getByTestId(kind).first()).toBeVisible();
    expect(await page.evaluate(() => (window as { hiddenRows?: string[] }).hiddenRows)).toEqual([]);
  }
});

test.describe("all rules in one table", () => {
  test.beforeEach(async ({ page }) => {
    await page.goto("/settings.html#rules");
    await expect(page.getByTestId("rule").first()).toBeVisible();
  });

  const row = (page: import("@playwright/test").Page, text: string) =>
    page.getByTestId("rule").filter({ hasText: text });

  test("a rule is a sentence, with its pattern and its agent below", async ({ page }) => {
    await expect(row(page, "/opt/homebrew/bin/fd")).toContainText(
      /Allow fd, any arguments.*builder ·.*bin\/fd/s,
    );
    await expect(row(page, "~/.local/bin/**")).toContainText(/every program in it and below.*too broad/s);
    await expect(row(page, "git status *")).toContainText("Every agent");
    await page.getByRole("radiogroup", { name: "Rules" }).getByText("Deny").click();
    await expect(page.getByTestId("rule")).toHaveCount(3);
    await expect(row(page, "rm -rf *")).toContainText("Deny rm -rf, any arguments");
  });

  test("rules are under their programs, and where they hold is in sight in a window as it opens", async ({
    page,
  }) => {
    await page.setViewportSize({ width: 1080, height: 700 });
    const heads = page.getByTestId("program-head");
    await expect(heads.first()).toHaveText("Everything");
    await expect(heads.filter({ hasText: /^git$/ })).toHaveCount(1);
    await expect(page.getByRole("columnheader", { name: "Where" })).toBeInViewport();
    await page.getByRole("searchbox", { name: "Search rules" }).fill("~/Projects/site");
    await expect(page.getByTestId("rule")).toHaveCount(1);
    await expect(page.getByTestId("rule").locator(".where")).toHaveText("~/Projects/site");
    await page.getByRole("searchbox", { name: "Search rules" }).fill("");
    await page.getByRole("columnheader", { name: "Uses" }).getByRole("button").click();
    await expect(heads, "what is sorted by a number is not by program").toHaveCount(0);
    await nothingSideways(page);
  });

  test("what is searched and sorted, and removed with undo", async ({ page }) => {
    await page.getByRole("searchbox", { name: "Search rules" }).fill("xcode");
    await expect(page.getByTestId("rule")).toHaveCount(1);
    await page.getByRole("button", { name: "Remove /opt/homebrew/bin/xcodebuild" }).click();
    await expect(page.getByText("No results")).toBeVisible();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByTestId("rule")).toHaveCount(1);
  });

  test("a command is tried: its verdict, its effects, and how it was decided", async ({ page }) => {
    const verdict = page.getByTestId("verdict");
    await page.getByLabel("Try a command").fill("git push origin main");
    await expect(verdict).toContainText("Runs");
    await page.getByLabel("Try a command").fill("rm -rf ~/Library && git status");
    await expect(verdict).toContainText("Denied");
    await expect(verdict.getByRole("listitem").first()).toBeVisible();
    await page.getByText("How it was decided").click();
    await expect(page.getByTestId("trace").getByRole("listitem").first()).toBeVisible();
    await page.getByLabel("Try a command").fill("npm publish");
    await expect(verdict).toContainText("Publish this project publicly on npm");
    await page.getByLabel("Try a command").fill("npm publish --tag next");
    await expect(verdict, "what cannot be tried has no other command's verdict").toHaveText(
      "no verdict of builder is recorded for this command",
    );
    await page.getByLabel("Try a command").fill("npm publish");
    await page.getByLabel("As agent").selectOption({ label: "as research" });
    await expect(verdict).toHaveText("no verdict of research is recorded for this command");
  });
});

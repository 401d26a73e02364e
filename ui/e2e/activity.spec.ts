import { expect, test } from "@playwright/test";
import { nothingSerious, nothingSideways, request } from "./support";

test.beforeEach(async ({ page }) => {
  await page.setViewportSize({ width: 1380, height: 860 });
});

test("a request tells what happened, and why", async ({ page }) => {
  await page.goto("/settings.html#activity");
  await request(page, "rg -n").click();
  const detail = page.getByRole("complementary", { name: "Request" });
  await expect(detail).toContainText(/exit 0.*rg -n TODO src/);
  await expect(detail).toContainText(/Read1 command, understood in full/);
  await expect(detail).toContainText("Timeline");
  await expect(detail).toContainText("src/main.ts:12");
});

test("a million requests: filtered, searched and scrolled, a page at a time", async ({ page }) => {
  await page.goto("/settings.html?history=1000000#activity");
  await expect(request(page, "npm run build").first()).toBeVisible();
  expect(await page.getByTestId("request").count()).toBeLessThan(80);
  await page.getByLabel("Outcome").selectOption("You denied");
  await expect(page.getByTestId("request").first()).toContainText("denied by you");
  await page.getByLabel("Outcome").selectOption("Any outcome");
  await page.getByRole("searchbox", { name: "Search commands" }).fill("--number 55555");
  await expect(request(page, "--number 55555").first()).toBeVisible();
  await page.getByRole("searchbox", { name: "Search commands" }).fill("nothing like that at all");
  await expect(page.getByText("No results")).toBeVisible();
  await page.getByRole("button", { name: "Clear Filters" }).click();
  await page.getByRole("listbox", { name: "Requests" }).press("End");
  await expect(request(page, "--number 92").first(), "older ones come as it is scrolled").toBeVisible();
});

test("by keyboard alone: from one request to the next, and back", async ({ page }) => {
  await page.goto("/settings.html#activity");
  await request(page, "rg -n").click();
  await page.keyboard.press("ArrowDown");
  const detail = page.getByRole("complementary", { name: "Request" });
  await expect(detail).toContainText("curl -fsSL");
  await page.keyboard.press("Escape");
  await expect(detail).toHaveCount(0);
});

test("a running command shows its output as it comes, and is stopped", async ({ page }) => {
  await page.goto("/settings.html#activity");
  await request(page, "npm run build").click();
  const output = page.getByTestId("output");
  await expect(output).toContainText("compiling module 6");
  await expect(output, "more comes without asking").toContainText("compiling module 15");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(page.getByRole("complementary")).toContainText("stopped");
});

test("output is searched and copied", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/settings.html#activity");
  await request(page, "rg -n").click();
  const output = page.getByTestId("output");
  await output.getByRole("searchbox", { name: "Search output" }).fill("todo");
  await expect(output.getByRole("status"), "it begins at the first").toHaveText("1 of 2");
  await page.keyboard.press("Enter");
  await expect(output.getByRole("status")).toHaveText("2 of 2");
  await output.getByRole("button", { name: "Next Match" }).click();
  await expect(output.getByRole("status"), "behind the last comes the first").toHaveText("1 of 2");
  await output.getByRole("button", { name: "Previous Match" }).click();
  await expect(output.getByRole("status")).toHaveText("2 of 2");
  await expect(output.locator("mark.current")).toHaveText("TODO");
  await output.getByRole("button", { name: "Copy" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain("src/app.ts:40");
});

test("⌘F searches the output that has the focus, and else the commands; ⌘G goes on", async ({ page }) => {
  await page.goto("/settings.html#activity");
  await request(page, "rg -n").click();
  const output = page.getByTestId("output");
  await page.keyboard.press("Control+f");
  await expect(page.getByRole("searchbox", { name: "Search commands" })).toBeFocused();
  await output.locator("pre").focus();
  await page.keyboard.press("Control+f");
  await expect(output.getByRole("searchbox", { name: "Search output" })).toBeFocused();
  await page.keyboard.type("todo");
  await expect(output.getByRole("status")).toHaveText("1 of 2");
  await page.keyboard.press("Control+g");
  await expect(output.getByRole("status")).toHaveText("2 of 2");
  await page.keyboard.press("Control+Shift+G");
  await expect(output.getByRole("status")).toHaveText("1 of 2");
  await page.keyboard.type(" nowhere");
  await expect(output.getByRole("status")).toHaveText("none");
  await expect(output.getByRole("button", { name: "Next Match" })).toBeDisabled();
});

test("output has a window of its own, which is searched by keyboard and follows what runs", async ({
  page,
  context,
}) => {
  await page.goto("/settings.html#activity");
  await request(page, "rg -n").click();
  const opened = context.waitForEvent("page");
  await page.getByRole("button", { name: "Open in Own Window" }).click();
  const own = await opened;
  const output = own.getByTestId("output");
  await expect(own.getByRole("heading")).toContainText("rg -n TODO src");
  await expect(output).toContainText("src/app.ts:40");
  await own.keyboard.press("Control+f");
  await expect(output.getByRole("searchbox", { name: "Search output" })).toBeFocused();
  await own.keyboard.type("todo");
  await expect(output.getByRole("status")).toHaveText("1 of 2");
  await expect(output.getByRole("button", { name: "Open in Own Window" })).toHaveCount(0);
  await nothingSerious(own);
  await own.setViewportSize({ width: 460, height: 260 });
  await nothingSideways(own);
  await request(page, "npm run build").click();
  const second = context.waitForEvent("page");
  await page.getByRole("button", { name: "Open in Own Window" }).click();
  const running = (await second).getByTestId("output");
  await expect(running).toContainText("compiling module 15");
});

test("secrets of past requests are left out until one asks for them", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/settings.html?scene=output#activity");
  const row = request(page, "gh auth status");
  await expect(row).toContainText("--token ghp_••••");
  await row.click();
  const detail = page.getByRole("complementary", { name: "Request" });
  await expect(detail.locator(".command")).toContainText("--token ghp_••••");
  await expect(detail.getByTestId("output")).toContainText("Token: ghp_••••");
  await nothingSerious(page);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await detail.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Copy Command Without Secrets" }).click();
  await expect(page.getByText("Copied without its secrets.")).toBeVisible();
  await expect.poll(copied).toContain("ghp_••••");
  await detail.getByRole("button", { name: "Show Secrets" }).click();
  await expect(detail.locator(".command")).toContainText("--token ghp_a1B2c3D4");
  await detail.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Copy Command", exact: true }).click();
  await expect.poll(copied).toContain("ghp_a1B2c3D4");
  await expect(detail.getByTestId("output")).toContainText("Token: ghp_a1B2c3D4");
  await expect(row, "the list keeps them hidden").toContainText("ghp_••••");
  await detail.getByRole("button", { name: "Hide Secrets" }).click();
  await expect(detail).not.toContainText("a1B2c3D4");
  await request(page, "npm test").click();
  await expect(detail.getByRole("button", { name: "Show Secrets" }), "there are none").toHaveCount(0);
});

test("output fills the window where one wants it", async ({ page }) => {
  await page.goto("/settings.html#activity");
  await request(page, "rg -n").click();
  await page.getByRole("button", { name: "Enlarge" }).click();
  const large = page.getByRole("dialog", { name: /^Output of rg -n TODO src/ });
  await expect(large).toContainText("src/app.ts:40");
  expect((await large.locator("pre").boundingBox())?.height).toBeGreaterThan(500);
  await nothingSerious(page);
  await page.keyboard.press("Escape");
  await expect(large).toHaveCount(0);
  await expect(page.getByTestId("output")).toContainText("src/app.ts:40");
});

test("the columns have heads, and the rule that decided is named and opens", async ({ page }) => {
  await page.goto("/settings.html#activity");
  await expect(page.getByText("Decided By")).toBeVisible();
  await request(page, "rg -n").getByText("/opt/homebrew/bin/rg", { exact: true }).click();
  await expect(page.getByRole("heading", { name: "builder", level: 1 })).toBeVisible();
  await expect(page.getByTestId("inspector")).toContainText("/opt/homebrew/bin/rg");
});

test("output in colours is what a terminal would show, and can be read in every appearance", async ({
  page,
}) => {
  await page.goto("/settings.html?scene=output#activity");
  await request(page, "npm test").click();
  const output = page.getByTestId("output").locator("pre");
  await expect(output).toContainText("failed src/login.test.ts (2 tests | 1 failed)");
  await expect(output).not.toContainText(/U\+|\[3[0-9]m/);
  const colors = await output
    .locator("span")
    .evaluateAll((all) => new Set(all.map((one) => getComputedStyle(one).color)).size);
  expect(colors).toBeGreaterThan(6);
  await nothingSerious(page);
});

test("output that was written over is gone, and Raw shows it", async ({ page }) => {
  await page.goto("/settings.html?scene=output#activity");
  await request(page, "npm ci").click();
  const output = page.getByTestId("output");
  const text = output.locator("pre");
  await expect(text).toHaveText(/^installing #{20} 100%\s+linking done\s+one is ready\s+two is ready\s*$/);
  const raw = output.getByRole("button", { name: "Raw" });
  await raw.click();
  await expect(raw).toHaveAttribute("aria-pressed", "true");
  await expect(text).toContainText("\\rU+001B[Kinstalling #### 20%");
  await nothingSerious(page);
  await raw.click();
  await expect(text).not.toContainText("20%");
});

test("hostile output is text: nothing of it is a link, hidden or unseen", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  page.on("dialog", () => expect("a dialog").toBe("never opened"));
  await page.goto("/settings.html?scene=output#activity");
  await request(page, "./colours.sh").click();
  const output = page.getByTestId("output");
  const text = output.locator("pre");
  await expect(text).toContainText("before a link");
  await expect(text, "the title and the address are silent").not.toContainText(/rm -rf|evil/);
  await expect(text, "what sets the clipboard is shown").toContainText("U+001B]52;c;");
  await expect(text).toContainText("txt.U+202EexeU+200B U+001B[5;1z <img src=x onerror=alert(1)>");
  await expect(text, "what was there when the screen was cleared").toContainText(/before[^]*after/);
  await expect(output.locator(":is(a, img)")).toHaveCount(0);
  await nothingSerious(page);
  await output.getByRole("button", { name: "Copy" }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain("txt.\\u{202e}exe");
  expect(copied).toContain("not hidden not black on black\n");

  expect(copied).not.toMatch(/[\0-\x08\x0b-\x1f\u202e\u200b]/);
});

test("a command of several lines has lines, and a long here-document opens on a click", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/settings.html?scene=output#activity");
  const row = request(page, "git commit");
  await expect(row).toContainText("git add -A¶ git commit");
  await expect(row.locator(".escaped"), "only what is hostile").toHaveText(["U+202E"]);
  await row.click();
  const command = page.locator("aside .command");
  await expect(command).toHaveText(
    /^git add -A¶\ngit commit -m "\$\(cat <<'EOF'¶\n14 lines¶\nEOF¶\n\)"¶\ngit log/,
  );
  await expect(command).not.toContainText("line 14");
  await nothingSerious(page);
  const fold = command.getByRole("button", { name: "14 lines" });
  await fold.press("Enter");
  await expect(fold).toHaveAttribute("aria-expanded", "true");
  await expect(command).toContainText("line 14");
  await expect(command.locator(".escaped")).toHaveText(["U+202E"]);
  await page.getByRole("complementary").getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Copy Command" }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toMatch(/^git add -A\ngit commit [^]*line 14\nEOF\n\)"\ngit log \\u\{202e\} \\u\{202e\}$/);
});

test("run again is a new request, which is shown", async ({ page }) => {
  await page.goto("/settings.html#activity");
  await request(page, "curl -fsSL").click();
  await page.getByRole("button", { name: "Run Again" }).click();
  await expect(page.getByText("Asked again.")).toBeVisible();
  await expect(page.getByTestId("request").first()).toContainText("curl -fsSL");
  await expect(page.getByTestId("request").first()).toHaveAttribute("aria-selected", "true");
});

test("what was asked about is allowed after the fact, through the editor", async ({ page }) => {
  await page.goto("/settings.html#activity");
  await request(page, "curl -fsSL").click();
  await page.getByRole("button", { name: "Always Allow This…" }).click();
  await page.getByRole("button", { name: /with any arguments/ }).click();
  const editor = page.getByTestId("rule-editor");
  await expect(editor.getByLabel("Pattern")).toHaveValue("curl *");
  await editor.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Added curl *")).toBeVisible();
});

test("what would be allowed anyway says so", async ({ page }) => {
  await page.goto("/settings.html#activity");
  await request(page, "rg -n").click();
  await page.getByRole("complementary").getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Always Allow This…" }).click();
  await expect(page.getByText("It would be allowed now.")).toBeVisible();
});

test("a long command is shown in full length where one wants it, and never cut", async ({ page }) => {
  await page.goto("/settings.html?scene=hostile#activity");
  await page.getByTestId("request").first().click();
  const command = page.locator("aside .command");
  const hidden = () => command.evaluate((box) => box.scrollHeight - box.clientHeight);
  const all = page.getByRole("button", { name: "Show All" });
  await expect(all).toBeVisible();
  await expect.poll(hidden).toBeGreaterThan(0);
  await all.click();
  await expect.poll(hidden).toBe(0);
  await page.getByRole("button", { name: "Show Less" }).click();
  await expect.poll(hidden).toBeGreaterThan(0);
});

test("a request is found by what it printed", async ({ page }) => {
  await page.goto("/settings.html?scene=output#activity");
  await expect(page.getByTestId("request").first()).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("[main 1a2b3c4]");
  const list = page.getByRole("listbox", { name: "Results" });
  await expect(list.getByText("Output", { exact: true })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("output")).toContainText("What it changes");
});

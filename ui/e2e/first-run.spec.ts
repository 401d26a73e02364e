// The first run, another agent, the settings of the whole, and *About*: by looking, and by keys alone.

import { expect, test } from "@playwright/test";
import { nothingSerious } from "./support";

test.beforeEach(async ({ page }) => {
  await page.setViewportSize({ width: 1180, height: 900 });
});

test.describe("the first run", () => {
  test.beforeEach(async ({ page }) => {
    await page.setViewportSize({ width: 560, height: 480 });
    await page.goto("/settings.html?scene=empty");
    await expect(page.getByRole("heading", { name: "Welcome to Postern" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Continue" }), "Return continues").toBeFocused();
  });

  test("is done by keys alone: what it is, which agents, what they may do, one command", async ({ page }) => {
    const first = page.getByTestId("first-run");
    await expect(page.getByRole("navigation"), "no sidebar").toHaveCount(0);
    await nothingSerious(page);

    await page.keyboard.press("Enter");
    await expect(first.getByRole("heading", { name: "Which agents do you use?" })).toBeVisible();
    const claude = page.getByTestId("agent-claude-code");
    await expect(claude.getByRole("switch", { name: "Claude Code" })).toBeChecked();
    await expect(claude).toContainText("Adds 3 lines to ~/.claude/settings.json");
    await nothingSerious(page);

    await expect(page.getByRole("button", { name: "Continue" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(first.getByRole("heading", { name: "What may they do without asking?" })).toBeVisible();
    await expect(page.getByRole("switch", { name: /Look around/ })).toBeChecked();
    await expect(page.getByTestId("rules-claude-code")).toContainText("Import 3 rules from Claude Code");
    await expect(page.getByTestId("rules-claude-code")).toContainText("left out");
    await page.getByRole("button", { name: "Show Rules" }).first().click();
    await expect(page.getByText("left out: only a broad rule covers it")).toBeVisible();
    await nothingSerious(page);

    await page.getByRole("button", { name: "Continue" }).press("Enter");
    await expect(page.getByTestId("try")).toContainText("touch hello.txt");
    await page.getByTestId("try").getByRole("button", { name: "Ask as Claude Code" }).click();
    await expect(first.getByRole("status")).toContainText("It works. Your agent would run the command now.");
    await expect(first).toContainText("Codex runs this hook only after you trust it");
    await nothingSerious(page);
    await page.getByRole("button", { name: "Done" }).click();
    await expect(page.getByRole("main").getByRole("heading", { name: "Claude Code" })).toBeVisible();
  });

  test("offers what needs hands on its side, and then says what to do there", async ({ page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto("/settings.html?scene=containers");
    await expect(page.getByRole("button", { name: "Continue" })).toBeFocused();
    await page.keyboard.press("Enter");
    const containers = page.getByTestId("agent-containers");
    await expect(containers).toContainText("changes no file");
    await expect(containers.getByRole("button"), "there is no change to show").toHaveCount(0);
    const on = containers.getByRole("switch", { name: "Containers" });
    await expect(on).not.toBeChecked();
    await on.press("Space");
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page.getByRole("heading", { name: "What may they do without asking?" })).toBeVisible();
    await page.getByRole("button", { name: "Continue" }).click();
    const lines = page.getByTestId("lines-containers");
    await expect(lines).toContainText("docker run --volume");
    await nothingSerious(page);
    await lines.getByRole("button", { name: "Copy: Containers" }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain("docker run");
  });

  test("shows the change before, and takes it back after", async ({ page }) => {
    await page.keyboard.press("Enter");
    const claude = page.getByTestId("agent-claude-code");
    await claude.getByRole("button", { name: "Show Change" }).click();
    await expect(claude.getByRole("region")).toContainText("postern hook claude-code --agent claude-code");
    await page.getByTestId("agent-codex").getByRole("switch").uncheck();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Back" }).click();
    await expect(claude).toContainText("Connected");
    await expect(page.getByTestId("agent-codex")).not.toContainText("Connected");
    await claude.getByRole("button", { name: "Undo" }).click();
    await expect(claude.getByRole("switch")).not.toBeChecked();
    await page.getByRole("button", { name: "Done" }).click();
    await expect(page.getByTestId("first-run"), "nobody was chosen").toHaveCount(0);
  });

  test("whose hook is connected is told on the agent's page, with undo", async ({ page }) => {
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page.getByRole("heading", { name: "What may they do without asking?" })).toBeVisible();
    await page.setViewportSize({ width: 1080, height: 700 });
    await page.evaluate(() => (location.hash = "#claude-code/connection"));
    const hook = page.getByTestId("hook");
    await expect(hook).toContainText(/Claude Code\s*✓ Connected/);
    const rules = page.getByTestId("rules-claude-code");
    await expect(rules).toContainText("Import 3 rules from Claude Code");
    await nothingSerious(page);
    await rules.getByRole("button", { name: "Import", exact: true }).click();
    await expect(rules).toContainText("2 rules imported");
    await hook.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByRole("navigation").getByText("Claude Code"), "it came with its hook").toHaveCount(
      0,
    );
  });

  test("takes any name for another agent", async ({ page }) => {
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Add Agent" }).click();
    await expect(page.getByRole("textbox", { name: "Name" }), "one can type at once").toBeFocused();
    await page.keyboard.type("My builder!");
    await expect(page.getByText("Its folder is called my-builder.")).toBeVisible();
    await page.keyboard.press("Enter");
    await expect(page.getByTestId("enrolment")).toContainText("my-builder");
  });

  test("stands still where motion is reduced", async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    const moving = () => document.getAnimations().filter((one) => one.playState === "running").length;
    expect(await page.evaluate(moving)).toBe(0);
  });
});

test("who has agents is not", async ({ page }) => {
  await page.goto("/settings.html");
  await expect(page.getByRole("heading", { name: "Inbox" })).toBeVisible();
  await expect(page.getByText("Welcome to Postern")).toHaveCount(0);
});

test("a coding agent that is there is connected by its hook, after its change was shown", async ({
  page,
}) => {
  await page.goto("/settings.html#add");
  await page.getByRole("textbox", { name: "Name" }).fill("codex");
  await page.getByRole("button", { name: "Add Agent", exact: true }).click();
  await page.evaluate(() => (location.hash = "#codex/connection"));
  const hook = page.getByTestId("hook");
  await hook.getByRole("button", { name: "Show Change" }).click();
  await expect(hook.getByRole("region")).toContainText("postern hook codex");
  await nothingSerious(page);
  await hook.getByRole("button", { name: "Connect" }).click();
  await expect(hook).toContainText("✓ Connected");
  await expect(page.getByTestId("enrolment")).toHaveCount(0);
});

test("another agent in three steps; a name is not taken twice", async ({ page }) => {
  await page.goto("/settings.html#add");
  await page.getByRole("textbox", { name: "Name" }).fill("builder");
  await expect(page.getByText("An agent with this name already exists.")).toBeVisible();
  await page.getByRole("textbox", { name: "Name" }).fill("painter");
  await page.getByRole("radio", { name: "Let it look around" }).check();
  await page.getByRole("button", { name: "Add Agent", exact: true }).click();
  await page.getByRole("radiogroup").getByText("bubblewrap").click();
  await expect(page.getByTestId("enrolment")).toContainText("agents/painter/agent.sock");
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.locator("[aria-current=step]")).toContainText("Try");
});

test("settings: nothing serious on any tab, and what is chosen stays", async ({ page }) => {
  await page.goto("/preferences.html#settings");
  const tab = (name: string) => page.getByRole("radiogroup", { name: "Settings" }).getByText(name);
  await page.getByRole("radiogroup").getByText("Dark").click();
  await nothingSerious(page);
  await tab("Questions").click();
  await page.getByRole("switch", { name: /Play a sound/ }).uncheck();
  await page.getByRole("combobox", { name: /Time to answer/ }).selectOption("5 minutes");
  await nothingSerious(page);
  await tab("Privacy").click();
  await expect(page.getByText("23.4 MB")).toBeVisible();
  await page.getByRole("combobox", { name: /Keep the history/ }).selectOption("a year");
  await nothingSerious(page);
  await tab("Advanced").click();
  await expect(page.getByText("0.1.0")).toBeVisible();
  await nothingSerious(page);
  await tab("General").click();
  await expect(page.getByRole("radio", { name: "Dark" })).toBeChecked();
  await tab("Questions").click();
  await expect(page.getByRole("switch", { name: /Play a sound/ })).not.toBeChecked();
  await expect(page.getByRole("combobox", { name: /Time to answer/ })).toHaveValue("300");
  await tab("Privacy").click();
  await expect(page.getByRole("combobox", { name: /Keep the history/ })).toHaveValue("365");
});

test("the history is erased after a second word, and not before", async ({ page }) => {
  await page.goto("/preferences.html#privacy");
  await page.getByRole("button", { name: "Erase History…" }).click();
  const dialog = page.getByRole("dialog", { name: "Erase the history?" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByText("23.4 MB")).toBeVisible();
  await page.getByRole("button", { name: "Erase History…" }).click();
  await dialog.getByRole("button", { name: "Erase", exact: true }).click();
  await expect(page.getByText("The history is empty.").first()).toBeVisible();
  await expect(page.getByText("410 kB")).toBeVisible();
});

test("the history is saved as a file, one request a line", async ({ page }) => {
  await page.goto("/preferences.html#privacy");
  await page.getByRole("button", { name: "Export History…" }).click();
  await expect(page.getByText("Saved as ~/Downloads/postern-history.jsonl")).toBeVisible();
  const text = await page.evaluate(() => window.fakeSettings?.saved.get("postern-history.jsonl") ?? "");
  const rows = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(rows.length).toBeGreaterThan(3);
  expect(rows[0]).toHaveProperty("line");
});

test("About says what is promised and what is not", async ({ page }) => {
  await page.goto("/preferences.html#settings");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await expect(page.getByText("Version 0.1.0")).toBeVisible();
  await expect(page.getByRole("heading", { name: "What Postern guarantees" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "What it can’t do" })).toBeVisible();
  await expect(page.getByText(/MIT or Apache 2\.0/)).toBeVisible();
  await nothingSerious(page);
  await page.getByRole("button", { name: "‹ Settings" }).click();
  await expect(page.getByRole("switch", { name: /Start Postern at login/ })).toBeVisible();
});

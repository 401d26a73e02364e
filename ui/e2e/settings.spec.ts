import { expect, test, type Page } from "@playwright/test";
import {
  nothingSerious,
  nothingSideways,
  openAgent,
  openRules,
  request,
  rule,
  seriousInSize,
  turnTo,
} from "./support";

const sizes = { large: { width: 1080, height: 700 }, small: { width: 860, height: 520 } };

/** Every screen, and what shows that it is there. */
const screens: Record<string, (page: Page) => Promise<void>> = {
  inbox: async (page) => {
    await page.goto("/settings.html");
    await expect(page.getByTestId("waiting")).toHaveCount(4);
    // What does not fit is armed only after its end was seen.
    await expect(page.getByTestId("arming")).toHaveAttribute("data-state", /armed|unseen/);
  },
  "a dangerous request in the inbox": async (page) => {
    await page.goto("/settings.html");
    await page.getByTestId("waiting").filter({ hasText: "dangerous" }).first().click();
    await expect(page.getByRole("button", { name: "Hold to Allow" })).toBeEnabled();
  },
  "an empty inbox": async (page) => {
    await page.goto("/settings.html?scene=answered");
    await expect(page.getByText("Nothing is waiting")).toBeVisible();
  },
  "a hostile inbox": async (page) => {
    await page.goto("/settings.html?scene=hostile");
    await expect(page.getByTestId("waiting")).toHaveCount(2);
    await expect(page.getByTestId("question")).toContainText("U+202E");
  },
  rules: async (page) => {
    await page.goto("/settings.html#rules");
    await expect(page.getByTestId("rule").first()).toBeVisible();
  },
  "a command that is tried": async (page) => {
    await page.goto("/settings.html#rules");
    await page.getByLabel("Try a command").fill("rm -rf ~/Library && git status");
    await expect(page.getByTestId("verdict")).toContainText("Denied");
    await page.getByText("How it was decided").click();
  },
  "hostile rules of everybody": async (page) => {
    await page.goto("/settings.html?scene=hostile#rules");
    await page.getByRole("searchbox", { name: "Search rules" }).fill("the-very-end");
    await expect(page.getByTestId("rule").first()).toContainText("U+202E");
  },
  "the search": async (page) => {
    await page.goto("/settings.html");
    await expect(page.getByTestId("waiting").first()).toBeVisible();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("build");
    await expect(page.getByRole("option", { name: /npm run build/ }).first()).toBeVisible();
    // The buttons of the question behind it have their colors only then.
    await expect(page.getByTestId("arming")).toHaveAttribute("data-state", /armed|unseen/);
  },
  activity: async (page) => {
    await page.goto("/settings.html#activity");
    await expect(request(page, "npm run build")).toBeVisible();
  },
  "a request": async (page) => {
    await page.goto("/settings.html#activity");
    await request(page, "rg -n").click();
    await expect(page.getByTestId("output")).toContainText("TODO later");
  },
  "nothing asked yet": async (page) => {
    await page.goto("/settings.html?scene=quiet#activity");
    await expect(page.getByText("No requests yet.")).toBeVisible();
  },
  insights: async (page) => {
    await page.goto("/settings.html#insights");
    await expect(page.getByText("answers 2 questions")).toBeVisible();
  },
  "no insights": async (page) => {
    await page.goto("/settings.html?scene=quiet#insights");
    await expect(page.getByText("No requests in this period.")).toBeVisible();
  },
  doors: async (page) => {
    await page.goto("/preferences.html#doors");
    await expect(page.getByTestId("door")).toHaveCount(3);
  },
  "no doors": async (page) => {
    await page.goto("/preferences.html?scene=empty#doors");
    await expect(page.getByText("No agent yet.")).toBeVisible();
  },
  settings: async (page) => {
    await page.goto("/preferences.html#settings");
    await expect(page.getByRole("heading", { name: "Settings", level: 1 })).toBeVisible();
  },
  "an agent": async (page) => {
    await openAgent(page);
    await expect(page.getByRole("radiogroup", { name: "Color" })).toBeVisible();
  },
  "how an agent connects": async (page) => {
    await openAgent(page);
    await turnTo(page, "Connection");
    await expect(page.getByTestId("enrolment")).toBeVisible();
  },
  "an agent's exact settings": async (page) => {
    await openAgent(page);
    await turnTo(page, "Advanced");
    await expect(page.getByRole("radiogroup", { name: "May run" })).toBeVisible();
  },
  "an agent's rules": async (page) => {
    await openRules(page);
    await rule(page, "git push *").click();
    await expect(page.getByTestId("inspector")).toContainText("used 48 times");
  },
  "a rule being typed": async (page) => {
    await openRules(page);
    await rule(page, "git push *").dblclick();
    await expect(page.getByRole("textbox", { name: "Pattern" })).toBeFocused();
  },
  "a rule": async (page) => {
    await openRules(page);
    await page.getByRole("button", { name: "Add Rule…" }).click();
    await expect(page.getByTestId("rule-editor")).toBeVisible();
  },
  "no rules": async (page) => {
    await openRules(page, "builder", "?scene=quiet");
    await expect(page.getByText("No rules yet.")).toBeVisible();
  },
  "a new agent": async (page) => {
    await page.goto("/settings.html#activity");
    await page.getByRole("button", { name: "Add Agent…" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  },
  "hostile rules": async (page) => {
    await openRules(page, "builder", "?scene=hostile");
    await page.getByRole("searchbox", { name: "Search rules" }).fill("the-very-end");
    await page.getByTestId("rule").first().click();
    await expect(page.getByTestId("inspector")).toContainText("the-very-end");
  },
  "a hostile request": async (page) => {
    await page.goto("/settings.html?scene=hostile#activity");
    await page.getByTestId("request").nth(2).click();
    await expect(page.getByTestId("output")).toContainText("the-very-end");
  },
};

for (const [name, open] of Object.entries(screens)) {
  test(`${name}: nothing serious for people who hear or press keys, nothing sideways`, async ({ page }) => {
    await page.setViewportSize(sizes.large);
    await open(page);
    await nothingSerious(page);
    await nothingSideways(page);
    await page.setViewportSize(sizes.small);
    expect(await seriousInSize(page)).toEqual([]);
    await nothingSideways(page);
  });
}

test("hostile text is text: no element, no dialog, nothing hidden that shows as something else", async ({
  page,
}) => {
  page.on("dialog", () => expect("a dialog").toBe("never opened"));
  await page.setViewportSize(sizes.large);
  for (const open of [
    screens["hostile rules"],
    screens["a hostile request"],
    screens["a hostile inbox"],
    screens["hostile rules of everybody"],
  ]) {
    await open?.(page);
    await expect(page.locator("main :is(img, script, iframe, a, b, i.trust)")).toHaveCount(0);
    const hidden = await page
      .locator("main")
      .evaluate((main) =>
        /[\u0000-\u0008\u000b-\u001f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/.test(
          (main as HTMLElement).innerText,
        ),
      );
    expect(hidden, "what cannot be seen is written as its number").toBe(false);
    await expect(page.locator("main").getByText("U+202E").first()).toBeVisible();
  }
});

test("the whole window goes by keyboard", async ({ page }) => {
  await page.setViewportSize(sizes.large);
  await page.goto("/settings.html");
  const title = (name: string) => page.getByRole("heading", { name, level: 1, exact: true });
  await expect(title("Inbox")).toBeVisible();
  for (const [key, name] of [
    ["2", "Activity"],
    ["3", "Rules"],
    ["4", "Insights"],
    ["n", "Add Agent"],
    ["1", "Inbox"],
  ] as const) {
    await page.keyboard.press(`Control+${key}`);
    await expect(title(name)).toBeVisible();
  }
  const popup = page.waitForEvent("popup");
  await page.keyboard.press("Control+,");
  await expect((await popup).getByRole("heading", { name: "Settings", level: 1 })).toBeVisible();
  await page.keyboard.press("Control+2");
  await page.keyboard.press("Control+f");
  await expect(page.getByRole("searchbox", { name: "Search commands" })).toBeFocused();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("release");
  await page.keyboard.press("Enter");
  await expect(title("release")).toBeVisible();
});

test("arrows go from page to page in the sidebar", async ({ page }) => {
  await page.setViewportSize(sizes.large);
  await page.goto("/settings.html");
  const title = (name: string) => page.getByRole("heading", { name, level: 1, exact: true });
  await page.getByRole("navigation").getByRole("button", { name: "Inbox" }).focus();
  await page.keyboard.press("ArrowDown");
  await expect(title("Activity")).toBeVisible();
  await page.keyboard.press("End");
  await expect(title("release"), "adding an agent takes more than an arrow").toBeVisible();
  await page.keyboard.press("ArrowUp");
  await expect(title("research")).toBeVisible();
});

test("the sidebar goes and comes back", async ({ page }) => {
  await page.setViewportSize(sizes.small);
  await page.goto("/settings.html");
  await page.getByRole("button", { name: "Hide Sidebar" }).click();
  await expect(page.getByRole("navigation")).toHaveCount(0);
  await page.getByRole("button", { name: "Show Sidebar" }).click();
  await expect(page.getByRole("navigation")).toBeVisible();
});

test("a waiting request is chosen and denied by keyboard, and only where the focus is", async ({ page }) => {
  await page.setViewportSize(sizes.large);
  await page.goto("/settings.html");
  const list = page.getByRole("listbox", { name: "Waiting requests" });
  await list.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("arming")).toHaveAttribute("data-state", "armed");
  await page.keyboard.press("Control+Enter");
  expect((await page.evaluate(() => window.said))?.answers).toEqual([]);
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("deny")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("waiting")).toHaveCount(3);
});

test("letters one and a half times as large push nothing aside", async ({ page }) => {
  // A page that is enlarged so has a window that is as much smaller.
  await page.setViewportSize({ width: 720, height: 467 });
  for (const open of [screens.inbox, screens.rules, screens.activity, screens.settings]) {
    await open?.(page);
    await nothingSideways(page);
  }
});

test("a session that an agent left open is closed from its page", async ({ page }) => {
  await page.setViewportSize(sizes.large);
  await openAgent(page, "builder");
  await turnTo(page, "Connection");
  await page.getByRole("button", { name: "Close the session review" }).click();
  await expect(page.getByText("Session closed. Waiting requests denied: 1.")).toBeVisible();
  await expect(page.getByTestId("sessions")).toHaveCount(0);
});

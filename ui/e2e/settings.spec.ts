import { expect, test, type Page } from "@playwright/test";
import { nothingSerious, nothingSideways, openAgent, request, rule, seriousInSize } from "./support";

const sizes = { large: { width: 1180, height: 760 }, small: { width: 760, height: 520 } };

/** Every screen, and what shows that it is there. */
const screens: Record<string, (page: Page) => Promise<void>> = {
  activity: async (page) => {
    await page.goto("/settings.html");
    await expect(request(page, "npm run build")).toBeVisible();
  },
  "a request": async (page) => {
    await page.goto("/settings.html");
    await request(page, "rg -n").click();
    await expect(page.getByTestId("output")).toContainText("TODO later");
  },
  "nothing asked yet": async (page) => {
    await page.goto("/settings.html?scene=quiet");
    await expect(page.getByText("Nothing was asked yet.")).toBeVisible();
  },
  insights: async (page) => {
    await page.goto("/settings.html#insights");
    await expect(page.getByText("spares 2 questions")).toBeVisible();
  },
  "no insights": async (page) => {
    await page.goto("/settings.html?scene=quiet#insights");
    await expect(page.getByText("Nothing was asked in this time.")).toBeVisible();
  },
  doors: async (page) => {
    await page.goto("/settings.html#doors");
    await expect(page.getByTestId("door")).toHaveCount(3);
  },
  "no doors": async (page) => {
    await page.goto("/settings.html?scene=empty#doors");
    await expect(page.getByText("No agent yet.")).toBeVisible();
  },
  settings: async (page) => {
    await page.goto("/settings.html#settings");
    await expect(page.getByRole("heading", { name: "Settings" })).toBeVisible();
  },
  "an agent": async (page) => {
    await openAgent(page);
    await rule(page, "/opt/homebrew/bin/rg").click();
    await expect(page.getByTestId("inspector")).toContainText("used 1,911 times");
  },
  "a rule being typed": async (page) => {
    await openAgent(page);
    await rule(page, "/opt/homebrew/bin/rg").dblclick();
    await expect(page.getByRole("textbox", { name: "Pattern" })).toBeFocused();
  },
  "a rule": async (page) => {
    await openAgent(page);
    await page.getByRole("button", { name: "Add rule…" }).click();
    await expect(page.getByTestId("rule-editor")).toBeVisible();
  },
  "no rules": async (page) => {
    await openAgent(page, "builder", "?scene=quiet");
    await expect(page.getByText("No rules yet.")).toBeVisible();
  },
  "a new agent": async (page) => {
    await page.goto("/settings.html");
    await page.getByRole("button", { name: "Add agent…" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  },
  "hostile rules": async (page) => {
    await openAgent(page, "builder", "?scene=hostile");
    await page.getByTestId("rule").first().click();
    await expect(page.getByTestId("inspector")).toContainText("the-very-end");
  },
  "a hostile request": async (page) => {
    await page.goto("/settings.html?scene=hostile");
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
  for (const open of [screens["hostile rules"], screens["a hostile request"]]) {
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
  await expect(request(page, "npm run build")).toBeVisible();
  await page.keyboard.press("Control+f");
  await expect(page.getByRole("searchbox", { name: "Search commands" })).toBeFocused();
  await page.keyboard.press("Control+,");
  await expect(page.getByRole("heading", { name: "Settings" })).toBeVisible();
});

test("a session that an agent left open is closed from its page", async ({ page }) => {
  await page.setViewportSize(sizes.large);
  await openAgent(page, "builder");
  await page.getByRole("button", { name: "Close the session review" }).click();
  await expect(page.getByText("Session closed; 1 that waited in it denied.")).toBeVisible();
  await expect(page.getByTestId("sessions")).toHaveCount(0);
});

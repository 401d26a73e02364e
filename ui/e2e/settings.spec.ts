import { expect, test, type Page } from "@playwright/test";
import { screens, sizes } from "./screens";
import { nothingSerious, nothingSideways, openAgent, seriousInSize, turnTo } from "./support";

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

/** Searches everything by keyboard, and opens the first that is found. */
async function search(page: Page, text: string, first: RegExp) {
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: /^Search/ })).toBeFocused();
  await page.keyboard.type(text);
  const results = page.getByRole("listbox", { name: "Results" });
  await expect(results.getByRole("option", { selected: true })).toHaveText(first);
  await page.keyboard.press("Enter");
}

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
  await search(page, "release", /^release/);
  await expect(title("release")).toBeVisible();
});

test("a setting is found and gone to, in the window that has it", async ({ page }) => {
  await page.setViewportSize(sizes.large);
  await page.goto("/settings.html");
  await expect(page.getByTestId("waiting").first()).toBeVisible();
  await search(page, "environment passed research", /Environment passed on/);
  await expect(page.getByRole("heading", { name: "research", level: 1 })).toBeVisible();
  const passed = page.getByRole("textbox", { name: "Environment passed on" });
  await expect(passed).toBeFocused();
  await expect(passed).toBeInViewport();
  const popup = page.waitForEvent("popup");
  await search(page, "keep the history", /Keep the history/);
  await expect((await popup).getByRole("combobox", { name: "Keep the history for" })).toBeFocused();
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
  await expect(page.getByTestId("waiting").nth(1)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("arming")).toHaveAttribute("data-state", "armed");
  await page.keyboard.press("Control+Enter");
  expect((await page.evaluate(() => window.said))?.answers).toEqual([]);
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("deny")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("waiting")).toHaveCount(3);
});

test("a session that an agent left open is closed from its page", async ({ page }) => {
  await page.setViewportSize(sizes.large);
  await openAgent(page, "builder");
  await turnTo(page, "Connection");
  await page.getByRole("button", { name: "Close the session review" }).click();
  await expect(page.getByText("Session closed. Waiting requests denied: 1.")).toBeVisible();
  await expect(page.getByTestId("sessions")).toHaveCount(0);
});

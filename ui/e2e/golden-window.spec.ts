// How the main window looks, kept as pictures, with the clock standing still.

import { expect, test, type Page } from "@playwright/test";
import { letters, same, stopClock } from "./pictures";

// Days and hours are those of one place.
test.use({ timezoneId: "UTC", locale: "en-US" });

interface Picture {
  name: string;
  at: string;
  scheme: "light" | "dark";
  contrast?: "more";
  size?: { width: number; height: number };
  /** What is opened first. */
  act?: (page: Page) => Promise<void>;
}

const hasMembers = (page: Page) => expect(page.getByTestId("member")).toHaveCount(7);

/** Size of the window of the settings, and of the one of the first run. */
const preferences = { width: 820, height: 620 };
const first = { width: 560, height: 480 };

/** Turns so many pages of the first run. */
const turn = (pages: number) => async (page: Page) => {
  for (let turned = 0; turned < pages; turned++) {
    const heading = await page.getByRole("heading", { level: 1 }).textContent();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.clock.runFor(1000);
    await expect(page.getByRole("heading", { level: 1 })).not.toHaveText(heading ?? "");
  }
};

const pictures: Picture[] = [
  { name: "inbox-light", at: "", scheme: "light" },
  {
    name: "inbox-dark-small",
    at: "",
    scheme: "dark",
    size: { width: 860, height: 520 },
    act: (page) => page.getByTestId("waiting").filter({ hasText: "--force" }).click(),
  },
  { name: "activity-dark", at: "#activity", scheme: "dark" },
  {
    name: "rules-light",
    at: "#rules",
    scheme: "light",
    act: (page) => page.getByLabel("Try a command").fill("git push origin main"),
  },
  { name: "rules-dark-contrast", at: "#rules", scheme: "dark", contrast: "more" },
  { name: "fleet-light", at: "?scene=fleet#fleet", scheme: "light", size: preferences, act: hasMembers },
  { name: "fleet-dark", at: "?scene=fleet-broken#fleet", scheme: "dark", size: preferences, act: hasMembers },
  { name: "agent-dark", at: "#builder", scheme: "dark" },
  { name: "first-agents-light", at: "?scene=empty", scheme: "light", size: first, act: turn(1) },
  { name: "first-rules-dark", at: "?scene=empty", scheme: "dark", size: first, act: turn(2) },
  { name: "settings-light-contrast", at: "#settings", scheme: "light", contrast: "more", size: preferences },
];

for (const { name, at, scheme, contrast = "no-preference", size, act } of pictures) {
  test(name, async ({ page }) => {
    await stopClock(page);
    await page.setViewportSize(size ?? { width: 1080, height: 700 });
    await page.emulateMedia({ colorScheme: scheme, contrast, reducedMotion: "reduce" });
    await page.goto(`/${size === preferences ? "preferences" : "settings"}.html${at}`);
    await expect(page.getByRole("heading", { level: 1 }).first()).toBeAttached();
    // A long list draws its rows a frame later.
    await page.clock.runFor(1000);
    await letters(page, at !== "#settings");
    await page.clock.runFor(1000);
    await act?.(page);
    await page.clock.runFor(2000);
    await expect(page).toHaveScreenshot(`${name}.png`, same);
  });
}

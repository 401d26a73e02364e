// How the question looks, kept as pictures, with the clock standing still.

import { expect, test, type Page } from "@playwright/test";
import recorded from "../src/backend/recorded.json" with { type: "json" };
import type { Scene } from "../src/backend/samples";
import type { Piece } from "../src/contract";
import { textOf } from "../src/parts/escaped";
import { enlarge } from "./large";
import { letters, same, stopClock } from "./pictures";
import { choose, fit, open } from "./question";

const pictures = [
  { name: "push-light", scene: "push", scheme: "light" },
  { name: "push-dark", scene: "push", scheme: "dark" },
  {
    name: "push-details-light",
    scene: "push",
    scheme: "light",
    act: (page) => page.keyboard.press("Control+i"),
  },
  { name: "always-light", scene: "push", scheme: "light", act: (page) => choose(page, "allow", "always") },
  { name: "always-broad-dark", scene: "push", scheme: "dark", act: widen },
  { name: "always-broad-light", scene: "push", scheme: "light", act: widen },
  { name: "uname-light", scene: "uname", scheme: "light" },
  { name: "remove-light", scene: "remove", scheme: "light" },
  { name: "dangerous-dark", scene: "dangerous", scheme: "dark" },
  { name: "script-light-contrast", scene: "script", scheme: "light", contrast: "more" },
  { name: "changeable-light", scene: "changeable", scheme: "light" },
  { name: "edited-light", scene: "edited", scheme: "light" },
  { name: "write-light", scene: "tool", scheme: "light" },
  { name: "edit-light", scene: "edit", scheme: "light" },
  { name: "fetch-dark", scene: "fetch", scheme: "dark" },
  { name: "mcp-light", scene: "mcp", scheme: "light" },
  { name: "alike-light", scene: "alike", scheme: "light" },
  { name: "heredoc-light", scene: "heredoc", scheme: "light", unseen: true },
  {
    name: "heredoc-open-dark",
    scene: "heredoc",
    scheme: "dark",
    act: (page) => page.getByTestId("more").click(),
  },
  { name: "push-large-light", scene: "push", scheme: "light", times: 1.5 },
  {
    name: "menu-dark",
    scene: "push",
    scheme: "dark",
    act: (page) => page.getByLabel("More ways to allow").click(),
  },
  { name: "change-light-contrast", scene: "push", scheme: "light", contrast: "more", act: change },
  { name: "hostile-dark-small", scene: "hostile", scheme: "dark", height: 420 },
] satisfies Picture[] as Picture[];

interface Picture {
  name: string;
  scene: Scene;
  scheme: "light" | "dark";
  contrast?: "more";
  height?: number;
  /** How much larger its text is. */
  times?: number;
  /** Whether a part of it is folded, so that it is not armed. */
  unseen?: true;
  /** What is opened first. */
  act?: (page: Page) => Promise<void>;
}

/** Changes the command. */
async function change(page: Page) {
  await page.keyboard.press("Control+e");
  await page.getByTestId("edit").fill("git push --dry-run origin main");
}

/** Opens a word of the exact command, so that the rule allows more than was shown. */
async function widen(page: Page) {
  await choose(page, "allow", "always");
  await page.getByRole("radio", { name: "this exact command" }).check();
  await page.getByRole("button", { name: "origin", exact: true }).click();
}

for (const { name, scene, scheme, contrast = "no-preference", height, times, unseen, act } of pictures) {
  test(name, async ({ page }) => {
    await stopClock(page);
    await page.emulateMedia({ colorScheme: scheme, contrast, reducedMotion: "reduce" });
    if (times !== undefined) await enlarge(page, times);
    await open(page, scene, height);
    await letters(page);
    await page.clock.runFor(2000);
    await act?.(page);
    await page.clock.runFor(2000);
    if (height === undefined) await fit(page);
    // The page looks for its end by itself, a moment after it has its height.
    if (height === undefined && !unseen)
      await expect(page.getByTestId("arming")).toHaveAttribute("data-state", /counting|armed/);
    await page.clock.runFor(2000);
    await expect(page).toHaveScreenshot(`${name}.png`, same);
  });
}

test("each scene has the headline that the host gave it", async ({ page }) => {
  for (const [name, { headline }] of Object.entries(recorded)) {
    const scene = (name === "alikeBatch" ? "alike" : name) as Scene;
    if (name === "alike") continue;
    await open(page, scene);
    await expect.soft(page.locator("#headline"), name).toHaveText(textOf(headline as Piece[]));
  }
});

test("pill-saved-dark", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 260, height: 36 });
  await page.goto("/approval.html?scene=pill-saved");
  await expect(page.getByTestId("pill")).toBeVisible();
  await letters(page, false);
  await expect(page).toHaveScreenshot("pill-saved-dark.png", same);
});

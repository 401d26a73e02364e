// Chips are never cut: they wrap, and what is long wraps inside of them.

import { expect, test, type Locator, type Page } from "@playwright/test";
import { enlarge } from "./large";
import { choose, open } from "./question";
import { openRules, settled } from "./support";

/** What of these chips is cut off, by itself or by what it is in. */
const cut = (chips: Locator) =>
  chips.evaluateAll((all) =>
    all
      .filter((chip) => {
        const at = chip.getBoundingClientRect();
        if (at.width === 0) return false;
        const inner = chip.scrollWidth > chip.clientWidth + 1 && getComputedStyle(chip).display !== "inline";
        let hidden = at.left < -1 || at.right > innerWidth + 1;
        // What a person can scroll to is not cut off.
        let scrolls = false;
        for (let around = chip.parentElement; around; around = around.parentElement) {
          const { overflowX, overflowY, textOverflow } = getComputedStyle(around);
          const box = around.getBoundingClientRect();
          if (overflowX !== "visible" && (at.right > box.right + 1 || at.left < box.left - 1)) hidden = true;
          scrolls ||= overflowY === "auto" || overflowY === "scroll";
          if (!scrolls && overflowY === "hidden" && (at.bottom > box.bottom + 1 || at.top < box.top - 1))
            hidden = true;
          if (textOverflow === "ellipsis" && around.scrollWidth > around.clientWidth) hidden = true;
        }
        return inner || hidden || getComputedStyle(chip).textOverflow === "ellipsis";
      })
      .map((chip) => {
        const { left, right, top, bottom } = chip.getBoundingClientRect();
        return `${chip.textContent.trim()} ${[left, right, top, bottom].map(Math.round).join(" ")}`;
      }),
  );

async function none(chips: Locator) {
  await expect(chips.first()).toBeVisible();
  await whole(chips);
}

/** A window that has just become narrow lays itself out. */
const whole = (chips: Locator) => expect.poll(() => cut(chips)).toEqual([]);

const SMALL = { width: 460, height: 700 };

for (const times of [1, 1.5]) {
  const title = (what: string) => `${what}, ${times} times as large, 460 wide`;

  test(title("the words of an offer"), async ({ page }) => {
    await enlarge(page, times);
    await open(page, "push", 700);
    await choose(page, "allow", "always");
    await page.setViewportSize(SMALL);
    const tokens = page.getByTestId("tokens").locator("> *");
    await none(tokens);
    await tokens.locator("xpath=self::button").first().click();
    await none(tokens);
  });

  test(title("the words of an offer that is one long path"), async ({ page }) => {
    await enlarge(page, times);
    await open(page, "long", 700);
    await page.setViewportSize(SMALL);
    // Whatever can be offered of it, or nothing.
    const always = page.getByTestId("always");
    await page.getByRole("button", { name: "More ways to allow" }).click();
    if (await always.isVisible()) {
      await always.click();
      await whole(page.getByTestId("tokens").locator("> *"));
    }
  });

  for (const scene of ["push", "repository", "changeable", "everywhere", "hostile", "known"] as const)
    test(title(`what deviates in ${scene}`), async ({ page }) => {
      await enlarge(page, times);
      await open(page, scene, 700);
      await page.setViewportSize(SMALL);
      await whole(page.locator(".chip"));
    });

  test(title("what is remarked on rules"), async ({ page }) => {
    await enlarge(page, times);
    await page.setViewportSize({ width: 860, height: 700 });
    await openRules(page);
    await page.getByRole("button", { name: "Hide Sidebar" }).click();
    await none(page.locator("[data-testid=rule] :is(.tag, .remark)"));
    await page.setViewportSize(SMALL);
    await settled(page);
    await none(page.locator("[data-testid=rule] :is(.tag, .remark)"));
    await overlaps(page);
  });
}

/** Rows are as high as their chips need. */
async function overlaps(page: Page) {
  await expect(async () => {
    const rows = await page.getByTestId("rule").evaluateAll((all) =>
      all.map((one) => {
        const { top, bottom } = one.getBoundingClientRect();
        return {
          top,
          bottom,
          inside: Math.max(
            ...[...one.querySelectorAll("*")].map((part) => part.getBoundingClientRect().bottom),
          ),
        };
      }),
    );
    rows.sort((one, other) => one.top - other.top);
    for (const [i, row] of rows.entries()) {
      expect(row.inside).toBeLessThanOrEqual(row.bottom + 1);
      expect(rows[i + 1]?.top ?? Infinity).toBeGreaterThanOrEqual(row.bottom - 1);
    }
  }).toPass();
}

test("a long filter of the activity wraps", async ({ page }) => {
  await page.setViewportSize({ width: 860, height: 520 });
  await openRules(page);
  await page.getByTestId("rule").filter({ hasText: "/opt/homebrew/bin/rg" }).click();
  await page.getByRole("button", { name: "Show These Requests" }).click();
  await page.setViewportSize(SMALL);
  await none(page.locator(".chips button"));
});

// Hostile text in every field: it is shown as text, it changes nothing else, and it hides nothing.

import { expect, test } from "@playwright/test";
import { open, said } from "./question";

test.beforeEach(({ page }) => {
  page.on("dialog", () => expect("a dialog").toBe("never opened"));
});

test("it makes no element, and pushes nothing off the side", async ({ page }) => {
  await open(page, "hostile", { width: 640, height: 620 });
  await expect(page.locator("#page img, #page script, #page iframe, #page a")).toHaveCount(0);
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll("*")]
      .filter(
        (one) =>
          one.scrollWidth > one.clientWidth + 1 &&
          one.clientWidth > 1 &&
          getComputedStyle(one).overflowX !== "visible" &&
          // Context is cut at its end, visibly: it is not what is judged.
          !one.closest("[data-testid=recent]"),
      )
      .map((one) => one.className),
  );
  expect(wide, "nothing is cut off at the side").toEqual([]);
  await expect(page.getByTestId("deny")).toBeInViewport();
});

test("every row of the command is complete, to the last character", async ({ page }) => {
  await open(page, "hostile");
  const rows = page.getByTestId("command").getByRole("listitem");
  await expect(rows).toHaveCount(5);
  await expect(rows.nth(3)).toContainText("A".repeat(3000));
  await expect(rows.nth(4)).toContainText("the-very-end");
});

test("no field lets a character through that cannot be seen, or that turns the text around", async ({
  page,
}) => {
  await open(page, "hostile");
  const text = (await page.locator("#page").textContent()) ?? "";
  // Line ends and the spaces of the markup itself are the page's own.
  expect(
    text.match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g),
  ).toBeNull();
  const fields = ["command", "cwd", "env", "why", "says", "edited", "recent", "program"];
  for (const field of fields) {
    const marked = page.getByTestId(field).first().locator(".escaped");
    expect(await marked.count(), `${field} marks what it escaped`).toBeGreaterThan(0);
  }
  for (const named of ["U+202E", "U+200B", "U+000A", "U+001B"])
    await expect(page.getByRole("heading").locator(".escaped").getByText(named)).toHaveCount(1);
});

test("it is read from left to right, without ligatures, in every field", async ({ page }) => {
  await open(page, "hostile");
  const odd = await page.evaluate(
    () =>
      [...document.querySelectorAll("bdo")].filter((one) => {
        const style = getComputedStyle(one);
        return (
          one.dir !== "ltr" ||
          style.unicodeBidi !== "isolate-override" ||
          style.fontVariantLigatures !== "none"
        );
      }).length,
  );
  expect(odd).toBe(0);
});

test("what stands around it is the same as in a plain question", async ({ page }) => {
  const frame = () =>
    page.evaluate(() => ({
      buttons: [...document.querySelectorAll("footer button")].map((one) => one.textContent?.trim()),
      labels: [...document.querySelectorAll("dt")].map((one) => one.textContent?.trim()),
      focused: document.activeElement?.getAttribute("data-testid"),
      title: document.title,
      address: location.pathname,
    }));
  await open(page, "push");
  const plain = await frame();
  await open(page, "hostile");
  const hostile = await frame();
  const noise = (one: typeof plain) => ({
    ...one,
    // It has no offers, and its end is below the edge: both are the scene's, not its text's.
    buttons: one.buttons.filter((text) => text !== "Always allow" && !text?.startsWith("Scroll")),
  });
  expect(noise(hostile)).toEqual(noise(plain));
});

test("it cannot be allowed before its end was seen", async ({ page }) => {
  await open(page, "hostile", { width: 640, height: 480 });
  await page.waitForFunction(
    () => document.querySelector("[data-testid=arming]")?.getAttribute("data-state") === "unseen",
  );
  await page.getByTestId("once").click({ force: true });
  await page.keyboard.press("Control+Enter");
  expect((await said(page)).answers).toEqual([]);
  expect((await said(page)).seen).toEqual([]);
});

// Hostile text in every field: it is shown as text, it changes nothing else, and it hides nothing.

import { expect, test, type Page } from "@playwright/test";
import { open, said } from "./question";

test.beforeEach(({ page }) => {
  page.on("dialog", () => expect("a dialog").toBe("never opened"));
});

/** What does not show all of its width. */
const cutOff = (page: Page) =>
  page.evaluate(() =>
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

test("it makes no element, and pushes nothing off the side", async ({ page }) => {
  await open(page, "hostile", { width: 640, height: 620 });
  await expect(page.locator("#page img, #page script, #page iframe, #page a")).toHaveCount(0);
  expect(await cutOff(page), "nothing is cut off at the side").toEqual([]);
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
  const fields = ["command", "cwd", "says", "recent", "program"];
  for (const field of fields) {
    const marked = page.getByTestId(field).first().locator(".escaped");
    expect(await marked.count(), `${field} marks what it escaped`).toBeGreaterThan(0);
  }
  for (const named of ["U+202E", "U+200B", "\\n", "U+001B"])
    await expect(page.getByTestId("says").locator(".escaped").getByText(named)).toHaveCount(1);
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

const frame = (page: Page) =>
  page.evaluate(() => ({
    buttons: [...document.querySelectorAll("footer button")].map((one) => one.textContent?.trim()),
    labels: [...document.querySelectorAll("dt")].map((one) => one.textContent?.trim()),
    focused: document.activeElement?.getAttribute("data-testid"),
    title: document.title,
    address: location.pathname,
  }));

test("what stands around it is what stands around plain questions", async ({ page }) => {
  await open(page, "push");
  const push = await frame(page);
  await open(page, "changeable");
  const changeable = await frame(page);
  await open(page, "hostile");
  const { buttons, labels, ...rest } = await frame(page);
  expect(rest).toEqual({ focused: push.focused, title: push.title, address: push.address });
  // Its end is below the edge: that is the scene's, not its text's.
  const own = buttons.filter((text) => !text?.startsWith("Scroll"));
  expect([...push.buttons, ...changeable.buttons]).toEqual(expect.arrayContaining(own));
  expect([...push.labels, ...changeable.labels]).toEqual(expect.arrayContaining(labels));
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

// Every field of the contract at once: `sample-everywhere.ts` does not compile where one has no attack.

/** What a person reads without opening anything, by the end of each field's text. */
const both =
  "headline channel session says edited why rule source policy reason proposal words saved second before outcome";
const shownIn = {
  everywhere: `${both} program argument path target version signer remark script changeable changeable-too cwd added changed refused value was input folder`,
  "everywhere-tool": `${both} tool program field argument`,
} as const;

for (const [scene, fields] of Object.entries(shownIn) as [keyof typeof shownIn, string][]) {
  test(`${scene}: every field is whole, and none is anything but text`, async ({ page }) => {
    await open(page, scene, { width: 640, height: 620 });
    const shows = page.getByRole("button", { name: "Show first lines" });
    if (scene === "everywhere") await shows.click();
    const text = (await page.locator("#page").textContent()) ?? "";
    for (const field of fields.split(" "))
      expect(text, "its last word is there").toContain(`end-of-${field}`);
    if (scene === "everywhere") expect(text).toContain("end-of-preview");
    await expect(page.locator("#page :is(img, script, iframe, a, object, embed, form, style)")).toHaveCount(
      0,
    );
    expect(await cutOff(page), "nothing is cut off at the side").toEqual([]);
    await expect(page.getByTestId("deny")).toBeInViewport({ ratio: 1 });
    await expect(page.getByTestId("countdown")).toBeInViewport({ ratio: 1 });
    await expect(page.getByTestId("deny")).toHaveText(/^Deny/);
  });
}

test("everywhere: what stands around it is the same as in a plain question", async ({ page }) => {
  await open(page, "push");
  const plain = await frame(page);
  await open(page, "everywhere");
  const hostile = await frame(page);
  expect(hostile.buttons.filter((text) => !text?.startsWith("Scroll"))).toEqual(plain.buttons);
  const extra = ["Not held", "Input"];
  expect(hostile.labels.filter((text) => extra.includes(text ?? ""))).toEqual(extra);
  expect(hostile.labels.filter((text) => !extra.includes(text ?? ""))).toEqual(plain.labels);
  expect({ ...hostile, buttons: [], labels: [] }).toEqual({ ...plain, buttons: [], labels: [] });
});

test("everywhere, and long: the end is far, and nothing allows before it was seen", async ({ page }) => {
  await open(page, "everywhere-long", { width: 640, height: 700 });
  const arming = page.getByTestId("arming");
  await expect(arming).toHaveAttribute("data-state", "unseen");
  await page.getByTestId("once").click({ force: true });
  await page.keyboard.press("Control+Enter");
  expect(await said(page)).toMatchObject({ answers: [], seen: [] });
  await expect(page.getByTestId("deny")).toBeInViewport({ ratio: 1 });
  await page.getByRole("button", { name: /Scroll to the end/ }).click();
  await expect(arming).toHaveAttribute("data-state", "armed");
  expect(await cutOff(page)).toEqual([]);
});

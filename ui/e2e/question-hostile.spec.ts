// Hostile text in every field: it is shown as text, it changes nothing else, and it hides nothing.

import { expect, test, type CDPSession, type Page } from "@playwright/test";
import { enlarge } from "./large";
import { choose, open, said } from "./question";

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
  await open(page, "hostile", 560);
  await expect(page.locator("#page img, #page script, #page iframe, #page a")).toHaveCount(0);
  expect(await cutOff(page), "nothing is cut off at the side").toEqual([]);
  await expect(page.getByTestId("deny")).toBeInViewport();
});

test("the command is complete, to the last character", async ({ page }) => {
  await open(page, "hostile");
  await expect(page.getByTestId("step")).toHaveCount(1);
  await expect(page.getByTestId("command")).toContainText(new RegExp(`${"A".repeat(3000)} the-very-end$`));
});

test("no field lets a character through that cannot be seen, or that turns the text around", async ({
  page,
}) => {
  await open(page, "hostile");
  await page.keyboard.press("Control+i");
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
    parts: [...document.querySelectorAll("[data-testid]")].map((one) => one.getAttribute("data-testid")),
    focused: document.activeElement?.getAttribute("data-testid"),
    title: document.title,
    address: location.pathname,
  }));

test("what stands around it is what stands around plain questions", async ({ page }) => {
  const framed = async (scene: "push" | "changeable" | "script" | "hostile") => {
    await open(page, scene);
    await page.keyboard.press("Control+i");
    await expect(page.getByTestId("detail-rows")).toBeVisible();
    return frame(page);
  };
  const push = await framed("push");
  const others = [push, await framed("changeable"), await framed("script")];
  const { buttons, labels, parts, ...rest } = await framed("hostile");
  expect(rest).toEqual({ focused: push.focused, title: push.title, address: push.address });
  // Its end is below the edge: that is the scene's, not its text's.
  const own = buttons.filter((text) => !text?.startsWith("Scroll"));
  expect(others.flatMap((one) => one.buttons)).toEqual(expect.arrayContaining(own));
  expect(others.flatMap((one) => one.labels)).toEqual(expect.arrayContaining(labels));
  expect(others.flatMap((one) => one.parts)).toEqual(expect.arrayContaining(parts));
});

test("it cannot be allowed before its end was seen", async ({ page }) => {
  await open(page, "hostile", 400);
  await page.waitForFunction(
    () => document.querySelector("[data-testid=arming]")?.getAttribute("data-state") === "unseen",
  );
  await page.getByTestId("once").click({ force: true });
  await page.keyboard.press("Control+Enter");
  expect((await said(page)).answers).toEqual([]);
  expect((await said(page)).seen).toEqual([]);
});

// Every field of the contract at once: `sample-everywhere.ts` does not compile where one has no attack.

/** What a person reads at once, and in the details, by the end of each field's text. */
const both =
  "headline repository branch session says edited why confinement danger source channel rule policy reason before outcome";
const shownIn = {
  everywhere: `${both} program argument changeable changeable-too cwd input path target version signer remark script added changed refused value was`,
  "everywhere-tool": `${both} tool program field argument`,
} as const;

for (const [scene, fields] of Object.entries(shownIn) as [keyof typeof shownIn, string][]) {
  test(`${scene}: every field is whole, and none is anything but text`, async ({ page }) => {
    await open(page, scene, 560);
    // What is too long for a chip is open already.
    if (scene === "everywhere") await expect(page.getByTestId("details")).toBeDisabled();
    else await page.keyboard.press("Control+i");
    const text = (await page.locator("#page").textContent()) ?? "";
    for (const field of fields.split(" "))
      expect(text, "its last word is there").toContain(`end-of-${field}`);
    if (scene === "everywhere") expect(text).toContain("end-of-preview");
    await plainText(page);
    await expect(page.getByTestId("deny")).toBeInViewport({ ratio: 1 });
    await expect(page.getByTestId("countdown")).toBeInViewport({ ratio: 1 });
    await expect(page.getByTestId("deny")).toHaveText(/^Deny/);
  });
}

test("everywhere: what Always would save is whole, and nothing but text", async ({ page }) => {
  await open(page, "everywhere", 560);
  await choose(page, "allow", "always");
  const text = async () => (await page.locator("#page").textContent()) ?? "";
  for (const field of ["proposal", "label", "saved", "second", "headline", "folder"])
    expect(await text(), "its last word is there").toContain(`end-of-${field}`);
  await plainText(page);
  await page.getByRole("radio").nth(1).check();
  expect(await text()).toContain("end-of-words");
  await plainText(page);
});

/** No text became an element, and none is cut off at the side. */
async function plainText(page: Page) {
  await expect(page.locator("#page :is(img, script, iframe, a, object, embed, form, style)")).toHaveCount(0);
  expect(await cutOff(page), "nothing is cut off at the side").toEqual([]);
}

test("everywhere: what stands around it is the same as in a plain question", async ({ page }) => {
  await open(page, "repository");
  await page.keyboard.press("Control+i");
  await expect(page.getByTestId("detail-rows")).toBeVisible();
  const plain = await frame(page);
  await open(page, "everywhere");
  const hostile = await frame(page);
  // Whether the end is in sight follows from the length.
  const constant = (buttons: typeof plain.buttons) => buttons.filter((text) => !text?.startsWith("Scroll"));
  expect(constant(hostile.buttons)).toEqual(constant(plain.buttons));
  expect(hostile.labels.filter((text) => text !== "Rule")).toEqual(plain.labels);
  const rest = { buttons: [], labels: [], parts: [] };
  expect({ ...hostile, ...rest }).toEqual({ ...plain, ...rest });
});

/** Seconds that the page has spent on layout. */
async function layoutTime(session: CDPSession) {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "LayoutDuration")?.value ?? 0;
}

/** Lays out the text of the question as nothing but text, at three widths: without the kerning that makes it take the square of its length. */
function layOutPlain() {
  const plain = document.createElement("p");
  plain.style.cssText = "position: absolute; overflow-wrap: anywhere; font-kerning: none";
  plain.textContent = document.querySelector("#page")?.textContent ?? "";
  document.body.append(plain);
  for (const width of [360, 380, 400]) {
    plain.style.width = `${width}px`;
    plain.getBoundingClientRect();
  }
  plain.remove();
}

test("everywhere, and long: it is laid out about as fast as plain text of its length", async ({ page }) => {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  await enlarge(page, 2);
  await open(page, "everywhere-long", 560);
  const question = await layoutTime(session);
  await page.evaluate(layOutPlain);
  const plain = (await layoutTime(session)) - question;
  expect(plain).toBeGreaterThan(0);
  // Load slows both down. Layout in the square of the length takes hundreds of times as long.
  expect(question / plain).toBeLessThan(20);
});

test("everywhere, and long: the end is far, and nothing allows before it was seen", async ({ page }) => {
  await open(page, "everywhere-long", 560);
  const arming = page.getByTestId("arming");
  await expect(arming).toHaveAttribute("data-state", "unseen");
  await page.getByTestId("once").click({ force: true });
  await page.keyboard.press("Control+Enter");
  expect(await said(page)).toMatchObject({ answers: [], seen: [] });
  await expect(page.getByTestId("deny")).toBeInViewport({ ratio: 1 });
  await page.getByRole("button", { name: "Scroll to allow" }).click();
  await expect(arming).toHaveAttribute("data-state", "armed");
  expect(await cutOff(page)).toEqual([]);
});

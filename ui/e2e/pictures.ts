// What the tests that keep pictures share. The fonts come with the tests, so that only a change of the page changes a picture.

import { readFileSync } from "node:fs";
import { expect, type Page } from "@playwright/test";

/** Allows for single pixels at the edges of letters, and for less than a word. */
export const same = { animations: "disabled", threshold: 0.1, maxDiffPixels: 150 } as const;

const font = (name: string) =>
  readFileSync(`node_modules/@fontsource-variable/${name}-wght-normal.woff2`).toString("base64");
const face = (family: string, name: string) =>
  `@font-face { font-family: "${family}"; font-weight: 100 900; src: url("data:font/woff2;base64,${font(name)}"); }`;
const fonts = [
  face("golden", "inter/files/inter-latin"),
  face("golden mono", "jetbrains-mono/files/jetbrains-mono-latin"),
  `:root { --font: "golden" !important; --mono: "golden mono" !important; }`,
].join("\n");

/** Stops the clock of a page, before it is opened: nothing counts down while a picture is taken. */
export async function stopClock(page: Page) {
  await page.clock.install({ time: new Date("2026-03-02T10:00:00Z") });
  await page.clock.pauseAt(new Date("2026-03-02T10:00:01Z"));
}

/** Sets the fonts on a page, which uses the one for code unless `mono` is false. */
export async function letters(page: Page, mono = true) {
  await page.addStyleTag({ content: fonts });
  const loaded = await page.evaluate(async () => {
    await document.fonts.ready;
    return [...document.fonts].map((one) => `${one.family.replaceAll('"', "")} ${one.status}`);
  });
  expect(loaded, "the pictures do not hang on this machine's fonts").toEqual([
    "golden loaded",
    `golden mono ${mono ? "loaded" : "unloaded"}`,
  ]);
}

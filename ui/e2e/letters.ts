// The fonts of pictures: they come with the tests, so that only a change of the page changes a picture.

import { readFileSync } from "node:fs";
import { expect, type Page } from "@playwright/test";

const font = (name: string) =>
  readFileSync(`node_modules/@fontsource-variable/${name}-wght-normal.woff2`).toString("base64");
const face = (family: string, name: string) =>
  `@font-face { font-family: "${family}"; font-weight: 100 900; src: url("data:font/woff2;base64,${font(name)}"); }`;
const fonts = [
  face("golden", "inter/files/inter-latin"),
  face("golden mono", "jetbrains-mono/files/jetbrains-mono-latin"),
  `:root { --font: "golden" !important; --mono: "golden mono" !important; }`,
].join("\n");

/** Sets them on a page, which uses the one for code unless `mono` is false. */
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

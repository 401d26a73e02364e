// How the question looks, kept as pictures. The fonts come with the tests and the clock stands still, so that only a
// change of the page changes a picture; what a browser's version draws otherwise at the edges of letters is allowed for.

import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { open } from "./question";

const font = (name: string) =>
  readFileSync(`node_modules/@fontsource-variable/${name}-wght-normal.woff2`).toString("base64");
const face = (family: string, name: string) =>
  `@font-face { font-family: "${family}"; font-weight: 100 900; src: url("data:font/woff2;base64,${font(name)}"); }`;
const fonts = [
  face("golden", "inter/files/inter-latin"),
  face("golden mono", "jetbrains-mono/files/jetbrains-mono-latin"),
  `:root { --font: "golden" !important; --mono: "golden mono" !important; }`,
].join("\n");

const pictures = [
  { name: "push-light", scene: "push", scheme: "light", contrast: "no-preference", height: 760 },
  { name: "push-dark", scene: "push", scheme: "dark", contrast: "no-preference", height: 760 },
  { name: "dangerous-dark", scene: "dangerous", scheme: "dark", contrast: "no-preference", height: 540 },
  { name: "script-light-contrast", scene: "script", scheme: "light", contrast: "more", height: 840 },
  { name: "changeable-light", scene: "changeable", scheme: "light", contrast: "no-preference", height: 900 },
  { name: "edited-light", scene: "edited", scheme: "light", contrast: "no-preference", height: 790 },
  { name: "hostile-dark-small", scene: "hostile", scheme: "dark", contrast: "no-preference", height: 420 },
] as const;

for (const { name, scene, scheme, contrast, height } of pictures) {
  test(name, async ({ page }) => {
    await page.clock.install({ time: new Date("2026-03-02T10:00:00Z") });
    await page.emulateMedia({ colorScheme: scheme, contrast, reducedMotion: "reduce" });
    await open(page, scene, { width: 640, height });
    await page.addStyleTag({ content: fonts });
    const loaded = await page.evaluate(async () => {
      await document.fonts.ready;
      return [...document.fonts].map((one) => `${one.family.replaceAll('"', "")} ${one.status}`);
    });
    expect(loaded, "the pictures do not hang on this machine's fonts").toEqual([
      "golden loaded",
      "golden mono loaded",
    ]);
    await page.clock.runFor(2000);
    await expect(page).toHaveScreenshot(`${name}.png`, {
      animations: "disabled",
      threshold: 0.3,
      maxDiffPixelRatio: 0.02,
    });
  });
}

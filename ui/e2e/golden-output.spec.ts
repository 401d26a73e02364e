// How a program's output looks, kept as pictures.

import { expect, test } from "@playwright/test";
import { letters, same } from "./pictures";
import { request } from "./support";

for (const { name, scheme, contrast } of [
  { name: "output-light", scheme: "light", contrast: "no-preference" },
  { name: "output-dark", scheme: "dark", contrast: "no-preference" },
] as const) {
  test(name, async ({ page }) => {
    await page.setViewportSize({ width: 1380, height: 860 });
    await page.emulateMedia({ colorScheme: scheme, contrast, reducedMotion: "reduce" });
    await page.goto("/settings.html?scene=output#activity");
    await request(page, "npm test").click();
    const output = page.getByTestId("output");
    await expect(output).toContainText("15 passed");
    await letters(page);
    await expect(output).toHaveScreenshot(`${name}.png`, same);
  });
}

// Large text, as a system or a person asks for it: the web view's own font size, of which the pages make theirs.

import { expect, type Page } from "@playwright/test";
import { settled } from "./support";

/** Font size of a web view where nobody asked for another one. */
const ORDINARY = 16;

/** Makes the text of the next pages so much larger. */
export async function enlarge(page: Page, times: number) {
  const session = await page.context().newCDPSession(page);
  await session.send("Page.setFontSizes", { fontSizes: { standard: ORDINARY * times } });
}

/** The text is so much larger than it is usually, and all of it can be read and used. */
export async function isLarge(page: Page, times: number) {
  await settled(page);
  const size = await page.evaluate(() => parseFloat(getComputedStyle(document.body).fontSize));
  expect(size, "the text is larger").toBeCloseTo(13 * times, 1);
  expect(await page.evaluate(cutOff), "what is cut off or stands outside of the window").toEqual([]);
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  expect(await page.evaluate(covered), "what cannot be clicked").toEqual([]);
}

/** Elements that hide a part of what is in them, unless they scroll, as fields do, or end a line of a list with “…”. */
function cutOff(): string[] {
  const found: string[] = [];
  for (const one of document.body.querySelectorAll<HTMLElement>("*")) {
    if (!one.checkVisibility({ visibilityProperty: true }) || one.closest(".visually-hidden, svg, canvas"))
      continue;
    const style = getComputedStyle(one);
    // Only of what is found: of every element of a long page it would be the text many times over.
    const name = () => `${one.tagName}.${one.className} ${one.textContent?.trim().slice(0, 40)}`;
    const ends =
      one.closest(".cut") || style.textOverflow === "ellipsis" || one.closest("[data-testid=recent]");
    const wide = one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1;
    if (wide && style.overflowX !== "visible" && !ends && !one.matches("pre, input"))
      found.push(`wide: ${name()}`);
    const high = one.clientHeight > 1 && one.scrollHeight > one.clientHeight + 2;
    if (high && ["hidden", "clip"].includes(style.overflowY) && !ends) found.push(`high: ${name()}`);
    if (high && one.matches("button, .capsule, .row, select") && style.overflowY === "visible")
      found.push(`button: ${name()}`);
    const { left, right } = one.getBoundingClientRect();
    if ((left < -1 || right > innerWidth + 1) && !ends && style.position !== "absolute")
      found.push(`outside: ${name()}`);
  }
  return found;
}

/** Buttons and fields that are not on top where they are, also after scrolling there. */
function covered(): string[] {
  const controls = "button, input, select, textarea, summary, [role=option], [role=tab]";
  const page = document.querySelector("dialog:modal") ?? document;
  return [...page.querySelectorAll<HTMLElement>(controls)]
    .filter(
      (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest("[inert], .visually-hidden"),
    )
    .filter((one) => {
      one.scrollIntoView({ block: "center", inline: "center" });
      const { left, top, width, height } = one.getBoundingClientRect();
      if (width < 2 || height < 2) return false;
      const top_ = document.elementFromPoint(left + width / 2, top + height / 2);
      return !(top_ && (one.contains(top_) || top_.contains(one) || top_.closest("label")?.contains(one)));
    })
    .map((one) => `${one.tagName} ${one.textContent?.trim() || one.getAttribute("aria-label")}`);
}

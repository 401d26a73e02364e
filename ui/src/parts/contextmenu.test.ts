import { afterEach, describe, expect, it } from "vitest";
import "./contextmenu";

/** An element of the page, with this text. */
function added(name: string, text = ""): Element {
  const element = document.createElement(name);
  element.append(text);
  document.body.append(element);
  return element;
}

const opens = (target: Element) =>
  target.dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true }));

describe("a right click", () => {
  afterEach(() => {
    document.getSelection()?.removeAllRanges();
    document.body.replaceChildren();
  });

  it("opens no menu of a browser", () => {
    expect(opens(added("button", "Deny"))).toBe(false);
  });

  it("opens the menu with Copy and Paste where text is written or chosen", () => {
    expect(opens(added("input"))).toBe(true);
    const text = added("p", "git push");
    document.getSelection()?.selectAllChildren(text);
    expect(opens(text)).toBe(true);
  });
});

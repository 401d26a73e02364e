import { describe, expect, it } from "vitest";
import "./contextmenu";

const opens = (target: Element) =>
  target.dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true }));

describe("a right click", () => {
  it("opens no menu of a browser", () => {
    document.body.innerHTML = "<button>Deny</button>";
    expect(opens(document.querySelector("button")!)).toBe(false);
  });

  it("opens the menu with Copy and Paste where text is written or chosen", () => {
    document.body.innerHTML = "<input /><p>git push</p>";
    expect(opens(document.querySelector("input")!)).toBe(true);
    const text = document.querySelector("p")!;
    document.getSelection()?.selectAllChildren(text);
    expect(opens(text)).toBe(true);
  });
});

import { describe, expect, it } from "vitest";
import { place } from "./popup";

const view = { width: 460, height: 300 };
const button = (top: number, right: number) => ({ top, bottom: top + 30, right });

describe("where a menu stands", () => {
  it("is on the side that is wanted, along the button's end", () => {
    expect(place(button(250, 300), { width: 190, height: 120 }, view, true)).toMatchObject({
      left: 110,
      top: 126,
    });
    expect(place(button(20, 300), { width: 190, height: 120 }, view, false)).toMatchObject({
      left: 110,
      top: 54,
    });
  });

  it("is on the other side where only that has the room", () => {
    expect(place(button(60, 300), { width: 190, height: 120 }, view, true).top).toBe(94);
    expect(place(button(200, 300), { width: 190, height: 120 }, view, false).top).toBe(76);
  });

  it("never leaves the window, however large it is", () => {
    const { left, top, maxHeight } = place(button(250, 100), { width: 440, height: 900 }, view, true);
    expect([left, top, maxHeight]).toEqual([4, 4, 242]);
  });
});

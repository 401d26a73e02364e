// A menu beside its button and over everything: neither the window's edge nor a box that scrolls cuts it off.

import type { Attachment } from "svelte/attachments";

/** Distance from the button, and the least from the window's edge. */
const GAP = 4;

interface Size {
  width: number;
  height: number;
}

/** Returns where a menu stands: on the wanted side, on the other if only that has more room, and no higher than fits. */
export function place(
  button: Pick<DOMRect, "top" | "bottom" | "right">,
  menu: Size,
  view: Size,
  above: boolean,
) {
  const room = { above: button.top - 2 * GAP, below: view.height - button.bottom - 2 * GAP };
  const [wanted, other] = above ? (["above", "below"] as const) : (["below", "above"] as const);
  const side = menu.height > room[wanted] && room[other] > room[wanted] ? other : wanted;
  return {
    left: Math.max(GAP, Math.min(button.right, view.width - GAP) - menu.width),
    top: side === "above" ? button.top - GAP - Math.min(menu.height, room.above) : button.bottom + GAP,
    maxHeight: room[side],
  };
}

/** Shows an element as a menu of a button, and keeps it there. */
export function popup(button: () => HTMLElement | undefined, above: boolean): Attachment<HTMLElement> {
  return (menu) => {
    const put = () => {
      const beside = button()?.getBoundingClientRect();
      if (!beside) return;
      // All of it, also of what scrolls.
      const height = menu.scrollHeight + menu.offsetHeight - menu.clientHeight;
      const view = { width: innerWidth, height: innerHeight };
      for (const [name, value] of Object.entries(
        place(beside, { width: menu.offsetWidth, height }, view, above),
      ))
        menu.style[name as "left" | "top" | "maxHeight"] = `${value}px`;
    };
    menu.popover = "manual";
    menu.showPopover();
    put();
    addEventListener("resize", put);
    addEventListener("scroll", put, true);
    return () => {
      removeEventListener("resize", put);
      removeEventListener("scroll", put, true);
    };
  };
}

/** Goes from item to item by arrow keys, Home and End. Returns true if the key was one of these. */
export function rove(event: KeyboardEvent, items: HTMLElement[]): boolean {
  const at = items.indexOf(document.activeElement as HTMLElement);
  const last = items.length - 1;
  const to = { ArrowDown: at < last ? at + 1 : 0, ArrowUp: at > 0 ? at - 1 : last, Home: 0, End: last }[
    event.key
  ];
  if (to === undefined) return false;
  items[to]?.focus();
  event.preventDefault();
  return true;
}

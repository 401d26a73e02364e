// Items of a virtual list. The list hides each until it is measured, and WebKit then doesn't repaint all of its text.

/** Item properties that keep an item visible from the start. */
export const visible = () => ({ style: { visibility: "visible" } });

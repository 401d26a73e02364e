// A button that is pressed twice is dead in between, and a dead button loses the keys.

/** Gives a button the keys again, unless they went somewhere else meanwhile. */
export function focusAgain(button: HTMLElement | undefined) {
  if (document.activeElement === document.body) button?.focus({ preventScroll: true });
}

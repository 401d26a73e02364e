// A right click opens no menu of a browser (Back, Reload). Where text is written or chosen, the menu has Copy and Paste, and stays.

/** Whether a click here is about text. */
export function isAboutText(target: EventTarget | null, chosen: Selection | null): boolean {
  const field = target instanceof Element && target.closest("input, textarea, [contenteditable]");
  return !!field || (chosen !== null && !chosen.isCollapsed);
}

document.addEventListener("contextmenu", (event) => {
  if (!isAboutText(event.target, document.getSelection())) event.preventDefault();
});

// Finding a control by what it is called, and going to it.

/** What can be called by a name and used. Radios are used by their group. */
const CONTROLS =
  "input:not([type=radio]), select, textarea, button, [role=radiogroup], section[aria-label], summary";
/** What has a name and may have nothing to use. */
const ROWS = ".pair, h2, h3";
/** Longest wait for a page that reads what it shows, in milliseconds. */
const PATIENCE = 5000;

/** The words of an element without its hints. */
function wordsOf(element: Element | undefined): string {
  if (!element) return "";
  const parts = [...element.childNodes].map((node) => {
    if (node instanceof Element) return node.matches("small, input, select, textarea") ? "" : wordsOf(node);
    return node.nodeType === Node.TEXT_NODE ? (node.textContent ?? "") : "";
  });
  return parts.join("").replace(/\s+/g, " ").trim();
}

function nameOf(control: Element): string {
  const labels = (control as HTMLInputElement).labels;
  return control.getAttribute("aria-label") ?? wordsOf(labels?.[0] ?? control);
}

const inside = (group: Element) =>
  group.querySelector<HTMLElement>("input:checked:enabled") ??
  group.querySelector<HTMLElement>(":is(input, select, textarea, button):enabled");

/** What has the focus for a name: the control that is called so, or the row or heading where there is none. */
export function named(root: ParentNode, name: string): HTMLElement | null {
  const control = [...root.querySelectorAll<HTMLElement>(CONTROLS)].find((one) => nameOf(one) === name);
  if (control?.matches("section, [role=radiogroup]")) return inside(control) ?? control;
  if (control) return control;
  const row = [...root.querySelectorAll<HTMLElement>(ROWS)].find((one) => wordsOf(one).startsWith(name));
  return row ? (inside(row) ?? row) : null;
}

function go(to: HTMLElement) {
  // What nobody can use now is shown all the same.
  if (to.matches(":disabled") || to.tabIndex < 0) to = to.closest<HTMLElement>(ROWS) ?? to;
  if (to.tabIndex < 0) to.tabIndex = -1;
  to.scrollIntoView?.({ block: "center" });
  to.focus({ preventScroll: true });
}

/** Focuses what is called so, now or once it is there. Gives what stops waiting for it. */
export function reveal(root: Element, name: string): () => void {
  const look = () => {
    const found = named(root, name);
    if (found) {
      stop();
      go(found);
    }
    return found !== null;
  };
  const seen = new MutationObserver(look);
  const timer = setTimeout(() => stop(), PATIENCE);
  const stop = () => {
    seen.disconnect();
    clearTimeout(timer);
  };
  if (!look()) seen.observe(root, { childList: true, subtree: true, attributes: true });
  return stop;
}

// The chord that goes to another one of those that wait.

/** Returns 1 for the next one, -1 for the one before, by their place on the keyboard too; null for any other key. */
export function stepOf(event: KeyboardEvent): 1 | -1 | null {
  if (!(event.metaKey || event.ctrlKey) || event.shiftKey || event.altKey) return null;
  if (event.key === "]" || event.code === "BracketRight") return 1;
  return event.key === "[" || event.code === "BracketLeft" ? -1 : null;
}

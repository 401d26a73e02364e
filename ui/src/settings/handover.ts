// What one window is to find when the other one opens it. Addresses name pages only, so this waits beside them.

const KEY = "postern.find";
/** How long it waits to be taken, in milliseconds. */
const LASTS = 30_000;

interface Left {
  address: string;
  name: string;
  at: number;
}

/** Leaves what the window that opens at an address is to find there. */
export function leave(address: string, name: string) {
  const left: Left = { address, name, at: Date.now() };
  localStorage.setItem(KEY, JSON.stringify(left));
}

/** Takes what was left for an address. What was left for another one stays there for a while. */
export function take(address: string): string | undefined {
  const left = read();
  if (left?.address !== address) return undefined;
  localStorage.removeItem(KEY);
  return Date.now() - left.at < LASTS ? left.name : undefined;
}

function read(): Left | null {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "null") as Left | null;
  } catch {
    return null;
  }
}

/** Whether a change of what windows share is about this. */
export const isLeft = ({ key, newValue }: StorageEvent) => key === KEY && newValue !== null;

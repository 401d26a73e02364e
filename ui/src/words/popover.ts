// Words of the menu-bar item's popover.

export const popover = {
  title: "Postern",
  waiting: "Waiting for You",
  all: (n: number) => `Show All ${n}`,
  running: "Running",
  recent: "Recent",
  answer: (agent: string, host?: string) => (host ? `Answer ${agent} on ${host}` : `Answer ${agent}`),
  stop: "Stop",
  quiet: "Nothing is waiting or running.",
  passed: "passed",
  denied: "denied",
  failed: (code: number) => `failed (${code})`,
  later: "Ask Later",
  search: "Search",
  open: "Open Postern",
} as const;

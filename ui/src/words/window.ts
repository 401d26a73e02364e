// Words of the main window's frame: the sidebar, the toolbar's search, the state of the whole, the inbox.

import { count } from "./count";
import { computer, key } from "./platform";

export const frame = {
  places: { inbox: "Inbox", activity: "Activity", rules: "Rules", insights: "Insights" },
  key,
  agents: "Agents",
  add: "Add Agent…",
  settings: "Settings",
  settingsTabs: {
    general: "General",
    questions: "Questions",
    privacy: "Privacy",
    integrations: "Integrations",
    advanced: "Advanced",
  },
  integrations: { doors: "Connections", skills: "Skills", fleet: "Fleet" },
  hideSidebar: "Hide Sidebar",
  showSidebar: "Show Sidebar",
  waiting: (n: number) => `${n.toLocaleString("en-US")} waiting`,
  dot: { connected: "connected", idle: "not connected", stopped: "stopped" },
} as const;

export const state = {
  guarding: (n: number) => (n === 0 ? "No agents yet" : `Guarding ${count(n, "agent")}`),
  blocked: (until: string | null) => (until ? `All agents blocked until ${until}` : "All agents blocked"),
  doubted: "The record can’t be trusted. All requests are denied.",
  unseen: "Can’t show questions. Requests are being denied.",
  lost: "Postern has stopped",
  lostHint: "Nothing runs until it is back. Trying again…",
  attention: (n: number) => (n === 1 ? "1 thing needs your attention" : `${n} things need your attention`),
  block: "Block All Agents",
  blockHour: "Block All Agents for 1 Hour",
  blockOpen: "Block All Agents Until I Unblock",
  unblock: "Unblock All Agents",
} as const;

export const search = {
  label: "Search agents, rules, requests, output and settings",
  placeholder: "Search",
  groups: {
    pages: "Pages",
    agents: "Agents",
    settings: "Settings",
    rules: "Rules",
    requests: "Requests",
    outputs: "Output",
  },
  results: "Results",
  found: (n: number) => count(n, "result"),
  none: "No results",
} as const;

export const inbox = {
  title: "Inbox",
  list: "Waiting requests",
  empty: "Nothing is waiting",
  emptyHint: "Requests that need your answer appear here.",
  elsewhere: "This request is shown in its own panel.",
  dangerous: "dangerous",
  onHost: (host: string) => `on ${host}`,
  allowed: (time: string) => `Allowed in ${time}`,
  times: (n: number) => `×${n}`,
  /** Before an agent’s name: its requests that wait for their turn. */
  more: (n: number) => `${n.toLocaleString("en-US")} more from`,
  place: "Show",
  everywhere: "Everywhere",
  here: `This ${computer}`,
  groups: "Groups",
} as const;

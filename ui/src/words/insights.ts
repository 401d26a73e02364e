// Words of the pictures.

import { count } from "./count";

export const insights = {
  title: "Insights",
  period: "Period",
  periods: { "7": "7 days", "30": "30 days", "90": "90 days" },
  agent: "Agent",
  asked: "Asked you",
  daily: (n: number) => `about ${n.toLocaleString("en-US")} a day`,
  weekly: (n: number) => (n === 0 ? "less than one a week" : `about ${n} a week`),
  allowed: "Allowed by rules",
  allowedHint: "without asking you",
  denied: "Denied by rules",
  deniedHint: "without asking you",
  answered: (percent: string) => `Postern answered ${percent} for you`,
  saved: (n: number, time: string) =>
    `${count(n, "request")} without asking you. At 5 seconds each, that is ${time}.`,
  minutes: (n: number) => (n === 0 ? "less than a minute" : `about ${count(n, "minute")}`),
  hours: (n: number) => `about ${count(n, "hour")}`,
  perDay: "Requests by day",
  perHour: "Requests by time of day",
  hour: "Hour",
  perAgent: "Requests by agent",
  perFolder: "Requests by folder",
  folder: "Folder",
  series: {
    ruleAllowed: "Allowed by rules",
    settingAllowed: "Allowed by settings",
    youAllowed: "You allowed",
    youDenied: "You denied",
    unanswered: "No one answered",
    ruleDenied: "Denied by rules",
    settingDenied: "Denied by settings",
  },
  day: "Day",
  asTable: "Show as Table",
  asChart: "Show as Chart",
  chartHint: "Click a bar to see its requests.",
  effects: "What your agents did",
  requests: "Requests",
  saves: "Rules that save the most clicks",
  goneRule: (id: number) => `rule ${id} (removed)`,
  fileRule: "a line of permissions.jsonc",
  halve: "Rules that would answer more",
  halveHint: "You never denied these, and none is dangerous. The mark is at half of the questions.",
  halveNone: "No suggestions yet.",
  halveSum: (rules: number, spared: number, asked: number) =>
    `${count(rules, "rule")} would have answered ${spared} of your last ${count(asked, "question")}`,
  halveMark: "half",
  spares: (n: number) => `answers ${count(n, "question")}`,
  forAgent: (name: string) => `for ${name}`,
  makeRule: "Review…",
  unused: (n: number) =>
    n === 0
      ? "Every rule is new, or was used in the last 90 days"
      : `${count(n, "rule")} not used in 90 days`,
  unusedHint: (n: number) => `Without ${n === 1 ? "it" : "them"}, you would be asked just as often.`,
  unusedOf: (n: number, of: number) => `${n} of ${count(of, "rule")}`,
  review: "Review Unused…",
  none: "No requests in this period.",
  noneHint: "Charts appear here as your agents work.",
} as const;

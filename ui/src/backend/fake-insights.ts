// The fake's pictures: the same numbers each time, with quiet weekends.

import type { Counts, DayCounts, Insights, RuleOffer, RuleRow, Suggestions } from "../contract";
import { DAY, rule } from "./sample-lists";

const none: Counts = {
  youAllowed: 0,
  ruleAllowed: 0,
  settingAllowed: 0,
  youDenied: 0,
  ruleDenied: 0,
  settingDenied: 0,
  unanswered: 0,
};

export function insights(now: number, days: number, named: (id: number) => RuleRow | null): Insights {
  const today = new Date(now).setHours(0, 0, 0, 0);
  const all: DayCounts[] = Array.from({ length: days }, (_, i) => {
    const from = today - (days - 1 - i) * DAY;
    const quiet = [0, 6].includes(new Date(from).getDay()) ? 0.2 : 1;
    const of = (most: number, step: number) =>
      Math.round(quiet * (most / 2 + (((i + 3) * step) % (most / 2 || 1))));
    const counts = {
      ...none,
      ruleAllowed: of(120, 37),
      settingAllowed: of(20, 11),
      youAllowed: of(14, 5),
      youDenied: of(4, 3),
      unanswered: i % 9 === 4 ? 1 : 0,
      ruleDenied: of(8, 5),
    };
    return { from, until: from + DAY, counts };
  });
  const total = all.reduce(
    (sum, { counts }) =>
      Object.fromEntries(
        Object.entries(sum).map(([key, n]) => [key, n + counts[key as keyof Counts]]),
      ) as unknown as Counts,
    none,
  );
  const counted: [number, number][] = [
    [1, 1911],
    [11, 640],
    [5, 203],
    [6, 77],
    [2, 48],
    [4, 12],
    [77, 9],
  ];
  return {
    since: all[0]?.from ?? today,
    days: all,
    total,
    rules: counted.map(([id, allowed]) => ({ id, rule: named(id), allowed, denied: 0 })),
  };
}

export function offer(text: string, label: string, id: "exact" | "command" | "path"): RuleOffer {
  const path = id === "path";
  const made = rule(0, 0, {
    pattern: path ? { kind: "path", value: text } : { kind: "command", value: text },
    text,
    version: "1.0",
    pinned: true,
  });
  return {
    id,
    label: [{ text: label, escaped: false }],
    rules: [made.rule],
    drafts: [{ effect: "allow", agent: "builder", text, kind: path ? "path" : "command", pin: true }],
    shown: [[{ text, escaped: false }]],
  };
}

export const suggestions: Suggestions = {
  asked: 78,
  suggestions: [
    {
      agent: "builder",
      offer: offer("git fetch *", "git fetch … with any arguments", "command"),
      spares: 24,
      examples: ["git fetch origin", "git fetch --all", "git fetch origin main"],
    },
    {
      agent: "builder",
      offer: offer("npm install *", "npm install … with any arguments", "command"),
      spares: 17,
      examples: ["npm install", "npm install --no-audit"],
    },
    {
      agent: "research",
      offer: offer("/opt/homebrew/bin/jq", "any jq at /opt/homebrew/bin/jq, unchanged", "path"),
      spares: 6,
      examples: ["jq .scripts package.json"],
    },
  ],
};

export const noInsights = (now: number, days: number): Insights => {
  const found = insights(now, days, () => null);
  return { ...found, total: none, rules: [], days: found.days.map((day) => ({ ...day, counts: none })) };
};

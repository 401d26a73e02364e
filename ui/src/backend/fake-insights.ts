// The fake's pictures: what a host counted, spread over the days that are asked for, with quiet weekends.

import type { Counts, DayCounts, Insights, RuleRow } from "../contract";
import { DAY, lists } from "./sample-lists";

/** So much of each kind on a full day, for each that was counted. */
const MANY: Counts = {
  ruleAllowed: 60,
  settingAllowed: 20,
  youAllowed: 4,
  youDenied: 4,
  ruleDenied: 4,
  settingDenied: 1,
  unanswered: 1,
};

const each = (counts: Counts, of: (key: keyof Counts) => number): Counts =>
  Object.fromEntries(Object.keys(counts).map((key) => [key, of(key as keyof Counts)])) as unknown as Counts;

export function insights(now: number, days: number, all: RuleRow[], effect?: string | null): Insights {
  const counted = lists(now)["insights.get"];
  const kind = counted.effects.find((one) => one.kind === effect);
  const most = counted.effects.reduce((sum, { count }) => sum + count, 0);
  const share = kind ? kind.count / Math.max(1, most) : effect ? 0 : 1;
  const today = new Date(now).setHours(0, 0, 0, 0);
  const spread: DayCounts[] = Array.from({ length: days }, (_, nth) => {
    const from = today - (days - 1 - nth) * DAY;
    const quiet = [0, 6].includes(new Date(from).getDay()) ? 0.2 : 1;
    const day = 0.5 + (((nth + 3) * 37) % 60) / 120;
    const counts = each(counted.total, (key) =>
      Math.round(share * quiet * day * MANY[key] * counted.total[key]),
    );
    return { from, until: from + DAY, counts };
  });
  const total = each(counted.total, (key) => spread.reduce((sum, { counts }) => sum + counts[key], 0));
  const used = all.filter(({ rule }) => rule.effect === "allow" && rule.usage.count > 0);
  const rules = used.map((rule) => ({ id: rule.rule.id, rule, allowed: rule.rule.usage.count, denied: 0 }));
  rules.sort((one, other) => other.allowed - one.allowed);
  // One of them was removed since.
  return {
    since: spread[0]?.from ?? today,
    days: spread,
    total,
    // A working day, with a pause at noon.
    hours: Array.from({ length: 24 }, (_, hour) => {
      const busy = hour < 8 || hour > 19 ? 0 : hour === 12 ? 0.3 : 1 - Math.abs(hour - 14) / 9;
      return each(total, (key) => Math.round((busy * total[key]) / 8));
    }),
    agents: [0.6, 0.3, 0.1].map((part, nth) => ({
      agent: ["builder", "research", "release"][nth] ?? "",
      counts: each(total, (key) => Math.round(part * total[key])),
    })),
    folders: (effect
      ? []
      : [
          { path: "/Users/kim/Projects/site", part: 0.7 },
          { path: "/Users/kim/Projects/crawler", part: 0.2 },
          { path: "/private/tmp/release", part: 0.1 },
        ]
    ).map(({ path, part }) => ({
      folder: path,
      text: path.replace("/Users/kim", "~"),
      counts: each(total, (key) => Math.round(part * total[key])),
    })),
    effects: counted.effects.map((one) => ({ ...one, count: one.count * days })),
    rules: [...rules, { id: 77, rule: null, allowed: 9, denied: 0 }],
  };
}

export function noInsights(now: number, days: number): Insights {
  const found = insights(now, days, []);
  const none = each(found.total, () => 0);
  return {
    ...found,
    total: none,
    hours: found.hours.map(() => none),
    agents: [],
    folders: [],
    rules: [],
    effects: [],
    days: found.days.map((day) => ({ ...day, counts: none })),
  };
}

// What the pictures show, from what the host counted.

import type { Counts, Decided, Insights } from "../../contract";
import { words } from "../words";
import type { Series } from "./Chart.svelte";

/** The kinds of decision in the order in which they are stacked, each with its colour and its name in a filter. */
export const kinds: { key: keyof Counts; color: string; outcome: Decided }[] = [
  { key: "ruleAllowed", color: "--chart-rule", outcome: "rule-allowed" },
  { key: "settingAllowed", color: "--chart-setting", outcome: "setting-allowed" },
  { key: "youAllowed", color: "--chart-you", outcome: "you-allowed" },
  { key: "youDenied", color: "--chart-you-denied", outcome: "you-denied" },
  { key: "unanswered", color: "--chart-unanswered", outcome: "unanswered" },
  { key: "ruleDenied", color: "--chart-denied", outcome: "rule-denied" },
  { key: "settingDenied", color: "--chart-setting-denied", outcome: "setting-denied" },
];

export const askedOf = (counts: Counts): number => counts.youAllowed + counts.youDenied + counts.unanswered;
export const allOf = (counts: Counts): number => kinds.reduce((sum, { key }) => sum + counts[key], 0);

/** The same from the first day on that has anything to show. */
export function begun(found: Insights): Insights {
  const first = found.days.findIndex(({ counts }) => allOf(counts) > 0);
  return first > 0 ? { ...found, days: found.days.slice(first) } : found;
}

/** The kinds that happened at all: a picture with seven colours of which four are empty says less. */
export function shownKinds(found: Insights) {
  return kinds.filter(({ key }) => found.total[key] > 0);
}

/** The counts of days, hours or agents, a series for each kind of decision. */
export function seriesOf(found: Insights, counts: Counts[]): Series[] {
  return shownKinds(found).map(({ key, color }) => ({
    text: words.insights.series[key],
    color,
    values: counts.map((one) => one[key]),
  }));
}

/** An hour of the day as it stands below its bar. */
export const hourLabel = (hour: number): string =>
  new Date(2000, 0, 1, hour).toLocaleTimeString([], { hour: "numeric" });

/** What an answer takes a person, in seconds. */
const ANSWER = 5;

/** The time that so many answers take, in words. */
export function timeFor(answers: number): string {
  const minutes = Math.round((answers * ANSWER) / 60);
  return minutes < 90 ? words.insights.minutes(minutes) : words.insights.hours(Math.round(minutes / 60));
}

/** How often, as people say it: by the day, or by the week where that is less than one. */
export function often(count: number, days: number): string {
  const daily = count / Math.max(1, days);
  if (daily >= 1) return words.insights.daily(Math.round(daily));
  return words.insights.weekly(Math.round(7 * daily));
}

/** A day as it stands below its bar. */
export const dayLabel = (at: number): string =>
  new Date(at).toLocaleDateString([], { day: "numeric", month: "short" });

export const percent = (part: number, of: number): string =>
  of === 0 ? "–" : `${Math.round((100 * part) / of)}%`;

/** How many of the first suggestions halve the questions; all of them where they cannot. */
export function halving(spares: number[], asked: number): { rules: number; spared: number } {
  let spared = 0;
  for (const [i, one] of spares.entries()) {
    spared += one;
    if (2 * spared >= asked) return { rules: i + 1, spared };
  }
  return { rules: spares.length, spared };
}

// What a list of requests is narrowed to, and how that is asked for.

import type { RequestFilter } from "../../contract";
import type { Narrowed } from "../page";
import { words } from "../words";

export type Outcome = keyof typeof words.activity.outcomes;
export type Period = keyof typeof words.activity.periods;

/** What the person chose. */
interface Chosen {
  agent: string;
  outcome: Outcome;
  /** A kind of effect; none for any. */
  effect: string;
  period: Period;
  search: string;
  /** Where a picture or a rule led here. */
  folder: Narrowed["folder"];
  rule: Narrowed["rule"];
  since: number | undefined;
  until: number | undefined;
}

export function chosenBy(narrowed: Narrowed | undefined): Chosen {
  const outcome = narrowed?.outcome ?? "any";
  return {
    agent: narrowed?.agent ?? "",
    outcome: outcome in words.activity.outcomes ? (outcome as Outcome) : "any",
    effect: narrowed?.effect ?? "",
    period: "any",
    search: "",
    folder: narrowed?.folder,
    rule: narrowed?.rule,
    since: narrowed?.since,
    until: narrowed?.until,
  };
}

const DAY = 24 * 3_600_000;
/** A choice that is about how far a request came, not about who decided. */
const isState = (outcome: Outcome) => outcome === "asking" || outcome === "running" || outcome === "failed";

function begins(period: Period, now: number): number | null {
  if (period === "any") return null;
  if (period === "today") return new Date(now).setHours(0, 0, 0, 0);
  return now - (period === "week" ? 7 : 30) * DAY;
}

/** The filter as the host takes it. */
export function filterOf(chosen: Chosen, now: number): RequestFilter {
  const { agent, outcome, effect, period, search, folder, rule, since, until } = chosen;
  return {
    agent: agent || null,
    state: isState(outcome) ? outcome : null,
    decided: outcome === "any" || isState(outcome) ? null : outcome,
    rule: rule?.id ?? null,
    effect: effect || null,
    folder: folder?.path ?? null,
    since: since ?? begins(period, now),
    until: until ?? null,
    search: search.trim() || null,
  };
}

/** Whether everything is shown. */
export const isWide = ({ outcome, period, search, ...rest }: Chosen): boolean =>
  outcome === "any" && period === "any" && !search.trim() && Object.values(rest).every((one) => !one);

/** A day, as a filter names it. */
export const dayOf = (at: number): string =>
  new Date(at).toLocaleDateString([], { weekday: "short", day: "numeric", month: "short" });

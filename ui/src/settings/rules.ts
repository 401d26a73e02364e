// Rules between list and editor.

import type { Lifetime, PatternKind, RuleDraft, RuleRow } from "../contract";
import { words } from "../words";
import { moment } from "./time";

export type Tab = "allowed" | "asked" | "denied" | "everyone";

const effects = { allowed: "allow", asked: "ask", denied: "deny" } as const;

/** The rows of a tab that fit a search. */
export function pick(rows: RuleRow[], tab: Tab, agent: string, search: string): RuleRow[] {
  const wanted = search.trim().toLowerCase();
  return rows.filter(({ rule, text, from }) => {
    if (tab === "everyone" ? rule.agent !== null : rule.agent !== agent) return false;
    if (tab !== "everyone" && rule.effect !== effects[tab]) return false;
    const all = `${text} ${rule.usage.lastCommand ?? ""} ${rule.usage.lastPath ?? ""} ${rule.why ?? ""} ${from}`;
    return wanted === "" || all.toLowerCase().includes(wanted);
  });
}

/** Rules from files and organisations are edited where they come from. */
export const fixed = (row: RuleRow): boolean =>
  row.rule.source.kind === "file" || row.rule.source.kind === "managed" || row.rule.id < 0;

export function kindOf(row: RuleRow): PatternKind {
  return row.rule.pattern.kind;
}

/** How long it lasts, where that is not for good. */
export function lasts(lifetime: Lifetime, now: number): string | null {
  switch (lifetime.kind) {
    case "forever":
      return null;
    case "until":
      return words.rules.until(moment(lifetime.value, now));
    case "session":
      return words.rules.session;
    case "quit":
      return words.rules.quit;
  }
}

/** A rule as the editor holds it. */
export function draftOf(row: RuleRow): RuleDraft {
  const { rule, text } = row;
  return {
    effect: rule.effect,
    agent: rule.agent,
    text,
    kind: rule.pattern.kind,
    args: rule.args,
    pin: rule.pin !== null,
    allowWrites: rule.allowWrites,
    lifetime: rule.lifetime,
    why: rule.why,
    matches: rule.matches,
    misses: rule.misses,
  };
}

export function newDraft(tab: Tab, agent: string): RuleDraft {
  return {
    effect: tab === "denied" ? "deny" : "allow",
    agent: tab === "everyone" ? null : agent,
    text: "",
    kind: null,
    args: null,
    pin: false,
    allowWrites: false,
    lifetime: { kind: "forever" },
    why: null,
    matches: [],
    misses: [],
  };
}

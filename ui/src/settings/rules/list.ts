// Rules between the list, its columns and its editor.

import type { Lifetime, PatternKind, Rule, RuleDraft, RuleRow } from "../../contract";
import { textOf } from "../../parts/escaped";
import { moment } from "../time";
import { words } from "../words";

export type Tab = "allowed" | "asked" | "denied" | "everyone";
export type Column = "pattern" | "where" | "used" | "command" | "uses" | "binary" | "from";

/** How a list is sorted; none leaves it as the host gives it. */
export interface Sort {
  by: Column;
  down: boolean;
}

const effects = { allowed: "allow", asked: "ask", denied: "deny" } as const;

/** The rows of a tab. */
export function ofTab(rows: RuleRow[], tab: Tab, agent: string): RuleRow[] {
  if (tab === "everyone") return rows.filter(({ rule }) => rule.agent === null);
  return rows.filter(({ rule }) => rule.agent === agent && rule.effect === effects[tab]);
}

const texts = new WeakMap<RuleRow, string>();

/** All that a search looks at, in lower case; made once a row. */
function searchedText(row: RuleRow): string {
  let text = texts.get(row);
  if (text === undefined) {
    const { rule, from, remarks } = row;
    const { lastCommand, lastPath } = rule.usage;
    text = [
      row.text,
      shownText(row),
      lastCommand,
      lastPath,
      placeOf(row),
      rule.why,
      from,
      ...remarks.map(({ text }) => text),
    ]
      .join("\n")
      .toLowerCase();
    texts.set(row, text);
  }
  return text;
}

/** The rows that hold every word of a search. */
export function found(rows: RuleRow[], search: string): RuleRow[] {
  const wanted = search.trim().toLowerCase().split(/\s+/);
  if (wanted.join("") === "") return rows;
  return rows.filter((row) => wanted.every((word) => searchedText(row).includes(word)));
}

/** A pattern as one line of text that can be shown. */
export const shownText = (row: RuleRow): string => textOf(row.shown);

/** Where a rule holds: a folder with all below it, or anywhere. Files say it themselves. */
export function placeOf({ rule, place }: RuleRow): string {
  const { kind } = rule.pattern;
  if (kind === "read" || kind === "write") return words.rules.unknown;
  return place ? textOf(place) : words.rules.anywhere;
}

/** A program's version, if it has one. The inspector has its hash. */
export function versionOf({ rule }: RuleRow): string {
  return (rule.usage.lastSeen ?? rule.pin?.program)?.version ?? words.rules.unknown;
}

const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** How often, as a narrow column has room for it: in full up to a million, and never cut. */
export const short = (n: number) => (n < 1_000_000 ? n.toLocaleString("en-US") : compact.format(n));

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

const keys: Record<Column, (row: RuleRow) => string | number> = {
  pattern: (row) => row.text,
  where: placeOf,
  used: ({ rule }) => rule.usage.lastUsedAt ?? 0,
  command: ({ rule }) => rule.usage.lastCommand ?? "",
  uses: ({ rule }) => rule.usage.count,
  binary: versionOf,
  from: (row) => row.from,
};

/** The rows in another order; equal ones stay as they were. */
export function sorted(rows: RuleRow[], sort: Sort | null): RuleRow[] {
  if (!sort) return rows;
  const key = keys[sort.by];
  const keyed = rows.map((row) => ({ row, key: key(row) }));
  const sign = sort.down ? -1 : 1;
  keyed.sort(({ key: a }, { key: b }) =>
    typeof a === "number" && typeof b === "number"
      ? sign * (a - b)
      : sign * collator.compare(String(a), String(b)),
  );
  return keyed.map(({ row }) => row);
}

/** What the rules of one head are about: a program, or what has no name of its own, before or after the programs. */
interface Head {
  rank: number;
  name: string;
}

function headOf(row: RuleRow): Head {
  const { kind } = row.rule.pattern;
  const heads = words.rules.heads;
  if (kind === "read" || kind === "write") return { rank: 4, name: heads.files };
  if (kind === "identity") return { rank: 2, name: heads.identities };
  if (row.text === "*") return { rank: 0, name: heads.everything };
  const text = shownText(row);
  const word = kind === "path" ? text : (text.split(" ", 1)[0] ?? "");
  const name = word.slice(word.lastIndexOf("/") + 1);
  if (kind === "path" && name.includes("*")) return { rank: 1, name: heads.folders };
  // A tool has a colon before what it works on.
  return { rank: 3, name: name.replace(/:$/, "") };
}

/** The rows with those about one program together, by its name; else they stay as they were. */
export function byProgram(rows: RuleRow[]): RuleRow[] {
  const keyed = rows.map((row) => ({ row, head: headOf(row) }));
  const order = (one: Head, other: Head) =>
    one.rank - other.rank ||
    collator.compare(one.name, other.name) ||
    Number(one.name > other.name) - Number(one.name < other.name);
  return keyed.sort((one, other) => order(one.head, other.head)).map(({ row }) => row);
}

/** A line of the table: the head of the rules about a program, or one of them. */
export type Line = { head: string; first: RuleRow } | { row: RuleRow; index: number };

/** The lines of rows that are by program, with their heads; without them where something else sorts the rows. */
export function linesOf(rows: RuleRow[], headed: boolean): Line[] {
  const lines: Line[] = [];
  let head: string | undefined;
  rows.forEach((row, index) => {
    const { name } = headOf(row);
    if (headed && name !== head) lines.push({ head: name, first: row });
    head = name;
    lines.push({ row, index });
  });
  return lines;
}

/** What a click on a column's head makes of a sort: up, down, and as it was. Times and counts begin with the most. */
export function nextSort(sort: Sort | null, by: Column): Sort | null {
  const first = by === "used" || by === "uses";
  if (sort?.by !== by) return { by, down: first };
  return sort.down === first ? { by, down: !first } : null;
}

/** The numbers of those that are not among the others. */
export function missing(rules: Rule[], others: Rule[]): number[] {
  const there = new Set(others.map((rule) => rule.id));
  return rules.map((rule) => rule.id).filter((id) => !there.has(id));
}

/** Rules from files and organisations are edited where they come from. */
export const fixed = ({ rule }: RuleRow): boolean =>
  rule.source.kind === "file" || rule.source.kind === "managed" || rule.id < 0;

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
export function draftOf(rule: Rule, text: string): RuleDraft {
  return {
    effect: rule.effect,
    agent: rule.agent,
    text,
    kind: rule.pattern.kind as PatternKind,
    args: rule.args,
    pin: rule.pin !== null,
    allowWrites: rule.allowWrites,
    broad: rule.broad,
    confine: rule.confine ?? null,
    limits: rule.limits ?? null,
    folder: rule.folder ?? null,
    input: rule.input,
    origin: rule.origin,
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
    broad: false,
    confine: null,
    folder: null,
    lifetime: { kind: "forever" },
    why: null,
    matches: [],
    misses: [],
  };
}

/** Whether a changed rule is still about the program that it is bound to, so that it keeps its pin. */
export function keepsPin(row: RuleRow, draft: RuleDraft): boolean {
  if (row.rule.pin === null || !draft.pin) return false;
  if (row.rule.pattern.kind === "path" || row.rule.pattern.kind === "identity")
    return row.text === draft.text;
  const program = (text: string) => text.trim().split(/\s+/, 1)[0];
  return program(row.text) === program(draft.text);
}

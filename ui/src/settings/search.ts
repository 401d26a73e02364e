// What the toolbar's search finds: pages, agents, settings and rules from what is known, requests and output from the host.

import type { DoorRow, Piece, RequestRow, RuleRow } from "../contract";
import { piecesOf, said } from "../parts/escaped";
import { frame, search as texts } from "../words/window";
import { allChoices, type Place } from "./choices";
import { found } from "./rules/list";
import { PLACES, type Page } from "./page";
import { type State } from "./state.svelte";
import { words } from "./words";

/** Something that was found, and the page that shows it. */
export interface Hit {
  group: keyof typeof texts.groups;
  key: string;
  /** What it is called, ready to be shown. */
  text: Piece[];
  code: boolean;
  note: string;
  page: Page;
}

/** The most of a group. Agents share the names of their settings. */
const MOST = 5;
const MOST_SETTINGS = 8;

const has = (text: string, wanted: string[]) => {
  const lower = text.toLowerCase();
  return wanted.every((word) => lower.includes(word));
};

/** How well a setting fits: by its name, by words of it, or by what else is said of it; null where it does not. */
function fit({ choice, tab, whose }: Place, wanted: string[]): number | null {
  const all = [choice.name, ...choice.also, tab, whose].join("\n");
  // An agent's name alone is the agent.
  if (!has(all, wanted) || (whose !== "" && has(whose, wanted))) return null;
  if (choice.name.toLowerCase().startsWith(wanted.join(" "))) return 0;
  return has(`${choice.name} ${whose}`, wanted) ? 1 : 2;
}

function settingsFor(app: State, wanted: string[], doors: DoorRow[]): Hit[] {
  const open = app.page.kind === "agent" ? app.page.id : undefined;
  const fitting = allChoices(app.agents, doors, open, app.update !== null).flatMap((place) => {
    const rank = fit(place, wanted);
    return rank === null ? [] : [{ place, rank }];
  });
  fitting.sort((one, other) => one.rank - other.rank);
  return fitting.map(({ place: { choice, page, whose, tab } }) => ({
    group: "settings",
    key: `setting-${tab}-${choice.name}-${page.kind === "agent" ? page.id : ""}`,
    text: piecesOf(choice.name),
    code: false,
    note: whose === "" ? tab : whose,
    page,
  }));
}

/** What is searched beside what the window knows. */
export interface Known {
  /** The rules of all agents, where they were read. */
  rules: RuleRow[];
  requests: RequestRow[];
  /** Requests that printed what is searched. */
  printed: RequestRow[];
  doors: DoorRow[];
}

export function hits(app: State, text: string, { rules, requests, printed, doors }: Known): Hit[] {
  const wanted = text.trim().toLowerCase().split(/\s+/);
  if (wanted.join("") === "") return [];
  const name = (id: string | null) => (id === null ? words.rules.everyAgent : (app.agent(id)?.name ?? id));
  const pages: Hit[] = PLACES.filter((kind) => has(frame.places[kind], wanted)).map((kind) => ({
    group: "pages",
    key: `page-${kind}`,
    text: said(frame.places[kind]),
    code: false,
    note: "",
    page: { kind },
  }));
  const agents: Hit[] = app.agents
    .filter((agent) => has(`${agent.name} ${agent.id}`, wanted))
    .map((agent) => ({
      group: "agents",
      key: `agent-${agent.id}`,
      text: said(agent.name),
      code: false,
      note: app.reaches(agent) ? frame.dot.connected : frame.dot.idle,
      page: { kind: "agent", id: agent.id },
    }));
  const choices = settingsFor(app, wanted, doors);
  const allowed: Hit[] = found(rules, text).map((row) => ({
    group: "rules",
    key: `rule-${row.rule.id}-${row.rule.agent ?? ""}`,
    text: row.shown,
    code: true,
    note: name(row.rule.agent),
    page: { kind: "rules", search: row.text },
  }));
  const rows = (group: "requests" | "outputs", of: RequestRow[]): Hit[] =>
    of.map((row) => ({
      group,
      key: `${group}-${row.id}`,
      text: piecesOf(row.line),
      code: true,
      note: name(row.agent),
      page: { kind: "activity", request: row.id },
    }));
  const most = (group: Hit[]) => (group === choices ? MOST_SETTINGS : MOST);
  const all = [pages, agents, choices, allowed, rows("requests", requests), rows("outputs", printed)];
  return all.flatMap((group) => group.slice(0, most(group)));
}

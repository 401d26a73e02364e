// What the toolbar's search finds: pages, agents, settings and rules from what is known, requests from the host.

import type { Piece, RequestRow, RuleRow } from "../contract";
import { piecesOf } from "../parts/escaped";
import { prefs } from "../words/prefs";
import { frame, search as said } from "../words/window";
import { found } from "./rules/list";
import { PLACES, type Page, type State, type Tab } from "./state.svelte";
import { words } from "./words";

/** Something that was found, and the page that shows it. */
export interface Hit {
  group: keyof typeof said.groups;
  key: string;
  /** What it is called, ready to be shown. */
  text: Piece[];
  code: boolean;
  note: string;
  page: Page;
}

/** The most of a group. */
const MOST = 5;

const plain = (text: string): Piece[] => [{ text, kind: "plain" }];

/** Every setting that has a line of its own, and where. */
const settings: [string, Tab][] = [
  [prefs.looks, "general"],
  [words.settings.login, "general"],
  [prefs.sound, "general"],
  [prefs.about, "about"],
  [prefs.confirm, "questions"],
  [prefs.timeout, "questions"],
  [prefs.locked, "questions"],
  [prefs.keep, "privacy"],
  [prefs.export, "privacy"],
  [prefs.erase, "privacy"],
  [words.doors.title, "doors"],
  ["Telegram", "doors"],
  ["Slack", "doors"],
  ["MCP", "doors"],
  ["OpenClaw", "doors"],
  ["OpenTelemetry", "doors"],
  [frame.integrations.skills, "skills"],
  [frame.integrations.fleet, "fleet"],
  [prefs.folder, "privacy"],
  [prefs.terminal, "advanced"],
];

const has = (text: string, wanted: string[]) => {
  const lower = text.toLowerCase();
  return wanted.every((word) => lower.includes(word));
};

/** @param rules  the rules of all agents, where they were read */
export function hits(app: State, text: string, rules: RuleRow[], requests: RequestRow[]): Hit[] {
  const wanted = text.trim().toLowerCase().split(/\s+/);
  if (wanted.join("") === "") return [];
  const name = (id: string | null) => (id === null ? words.rules.everyAgent : (app.agent(id)?.name ?? id));
  const pages: Hit[] = PLACES.filter((kind) => has(frame.places[kind], wanted)).map((kind) => ({
    group: "pages",
    key: `page-${kind}`,
    text: plain(frame.places[kind]),
    code: false,
    note: "",
    page: { kind },
  }));
  const agents: Hit[] = app.agents
    .filter((agent) => has(`${agent.name} ${agent.id}`, wanted))
    .map((agent) => ({
      group: "agents",
      key: `agent-${agent.id}`,
      text: plain(agent.name),
      code: false,
      note: app.reaches(agent) ? frame.dot.connected : frame.dot.idle,
      page: { kind: "agent", id: agent.id },
    }));
  const choices: Hit[] = settings
    .filter(([choice]) => has(choice, wanted))
    .map(([choice, tab]) => ({
      group: "settings",
      key: `setting-${choice}`,
      text: plain(choice),
      code: false,
      note: "",
      page: { kind: "settings", tab },
    }));
  const allowed: Hit[] = found(rules, text).map((row) => ({
    group: "rules",
    key: `rule-${row.rule.id}-${row.rule.agent ?? ""}`,
    text: row.shown,
    code: true,
    note: name(row.rule.agent),
    page: { kind: "rules", search: row.text },
  }));
  const asked: Hit[] = requests.map((row) => ({
    group: "requests",
    key: `request-${row.id}`,
    text: piecesOf(row.line),
    code: true,
    note: name(row.agent),
    page: { kind: "activity", request: row.id },
  }));
  return [pages, agents, choices, allowed, asked].flatMap((group) => group.slice(0, MOST));
}

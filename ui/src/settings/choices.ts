// Every setting that a person can change, by the words on its page: what the search finds, and where it leads.

import type { AgentRow, DoorRow } from "../contract";
import { fleet } from "../words/fleet";
import { onMac } from "../words/platform";
import { prefs } from "../words/prefs";
import { skills } from "../words/skills";
import { updates } from "../words/updates";
import { frame } from "../words/window";
import { classGroups } from "./classes";
import type { AgentTab, Page, Tab } from "./page";
import { words } from "./words";

/** A setting: what its control is called, and what else is said of it there. */
export interface Choice {
  name: string;
  also: string[];
}

const { agent, classes, doors, settings } = words;

const choice = (name: string, ...also: string[]): Choice => ({ name, also });
const among = (name: string, options: Record<string, string>, ...also: string[]): Choice =>
  choice(name, ...Object.values(options), ...also);

/** Those of the settings' window, by its tabs. What integrations have comes from the host. */
export const settingsChoices: Record<Tab, Choice[]> = {
  general: [
    choice(settings.login, settings.loginHint),
    among(prefs.looks, prefs.appearances, prefs.look),
    ...(onMac ? [among(prefs.shortcut, prefs.shortcuts)] : []),
    choice(prefs.about, prefs.version(""), prefs.licence),
  ],
  questions: [
    choice(prefs.confirm, prefs.confirmHints["touch-id"]),
    choice(prefs.sound),
    choice(prefs.inboxOnly, prefs.inboxOnlyHint),
    ...(onMac ? [choice(prefs.unrecorded, prefs.unrecordedHint)] : []),
    choice(prefs.timeout, prefs.timeoutHint),
    choice(prefs.locked, prefs.lockedHint),
  ],
  privacy: [
    choice(prefs.folder, prefs.data),
    choice(prefs.used),
    choice(prefs.keep, prefs.keepHint),
    choice(prefs.export, prefs.past, prefs.pastHint),
    choice(prefs.erase, prefs.past, prefs.pastHint),
  ],
  doors: [
    choice(doors.channels, doors.title, doors.hint, doors.rotate, doors.revoke),
    choice(doors.other, doors.otherHint),
    choice(doors.approvers, doors.approversHint),
  ],
  skills: [choice(skills.usedBy, skills.usedByHint), choice(skills.addLabel, skills.where, skills.hint)],
  fleet: [
    choice(fleet.startFleet, fleet.none, fleet.noneHint),
    choice(fleet.joinCode, fleet.none),
    choice(fleet.invite, fleet.members),
    choice(fleet.blockAgents, fleet.blockTitle, fleet.blockHint),
    choice(fleet.leave, fleet.leaveHint),
  ],
  advanced: [
    choice(prefs.version("").trim(), prefs.updates),
    ...(onMac ? [choice(prefs.terminal, prefs.terminalHint)] : []),
  ],
  about: [choice(prefs.promised), choice(prefs.notPromised), choice(prefs.licence)],
};

/** Those of *General* in a build that has an updater. */
const updateChoices: Choice[] = [
  choice(updates.automatic, updates.automaticHint),
  choice(updates.title, updates.check),
];

/** Those of an agent's page, as far as they are there for it. */
export function agentChoices({ settings }: AgentRow): Partial<Record<AgentTab, Choice[]>> {
  const decided = Object.values(classGroups).flat();
  const rows = settings.security === "allowlist" ? decided : [];
  const loopback = rows.length > 0 && settings.build === "allow";
  return {
    overview: [
      among(agent.preset, agent.presets, ...Object.values(agent.presetHints)),
      choice(agent.color),
      choice(agent.icon),
      choice(agent.folders, agent.foldersHint),
      ...rows.map((name) => choice(classes.rows[name].title, classes.rows[name].hint)),
      ...(loopback ? [choice(classes.loopback, classes.loopbackHint)] : []),
      choice(agent.skills, agent.skillsHint),
      choice(agent.elevated, agent.elevatedHint),
    ],
    connection: [choice(agent.remove)],
    advanced: [
      among(agent.security, agent.securities),
      among(agent.ask, agent.asks),
      among(agent.fallback, agent.fallbacks, agent.fallbackFull),
      choice(agent.timeout),
      among(agent.unattended, agent.unattendeds),
      choice(agent.runTimeout),
      choice(agent.runTimeoutCap),
      choice(agent.searchPath, agent.searchPathHint),
      choice(agent.envSet, agent.envSetHint),
      choice(agent.envPass, agent.envPassHint),
    ],
  };
}

/** A setting, the page that leads to it, and what that page is called. */
export interface Place {
  choice: Choice;
  page: Page;
  tab: string;
  /** The agent that it is of; empty for one of the whole. */
  whose: string;
}

/** What a tab of the settings is called. */
const tabName = (tab: Tab): string => {
  if (tab === "about") return prefs.about;
  return tab === "doors" || tab === "skills" || tab === "fleet"
    ? frame.integrations[tab]
    : frame.settingsTabs[tab];
};

const settingsPlace = (tab: Tab, one: Choice): Place => ({
  choice: one,
  page: { kind: "settings", tab, find: one.name },
  tab: tabName(tab),
  whose: "",
});

/** Every setting with the page that leads to it. The agent that is open comes before the others. */
export function allChoices(
  agents: AgentRow[],
  integrations: DoorRow[],
  open: string | undefined,
  updater = false,
): Place[] {
  const own = (Object.keys(settingsChoices) as Tab[]).flatMap((tab) => {
    const whole: Place = {
      choice: choice(tabName(tab)),
      page: { kind: "settings", tab },
      tab: "",
      whose: "",
    };
    // *About* is a setting itself.
    const first = tab === "about" ? [] : [whole];
    return [...first, ...settingsChoices[tab].map((one) => settingsPlace(tab, one))];
  });
  const others = integrations.map(({ title, about, settings: fields }) =>
    settingsPlace("doors", choice(title, about, ...fields.flatMap(({ name, hint }) => [name, hint]))),
  );
  const ordered = [...agents].sort((one, other) => Number(other.id === open) - Number(one.id === open));
  const theirs = ordered.flatMap((row) => {
    const choices = Object.entries(agentChoices(row)) as [AgentTab, Choice[]][];
    return choices.flatMap(([tab, those]) =>
      those.map((one): Place => {
        const page = { kind: "agent" as const, id: row.id, tab, find: one.name };
        return { choice: one, page, tab: agent.tabs[tab], whose: row.name };
      }),
    );
  });
  const updating = updater ? updateChoices.map((one) => settingsPlace("general", one)) : [];
  return [...own, ...updating, ...others, ...theirs];
}

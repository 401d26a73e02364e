// Where a question waits: on this Mac or another one, alone or in a group.

import type { FleetHost, Question } from "../../contract";

/** The groups of hosts, by name. */
export const groupNames = (hosts: { groups: string[] }[]) =>
  [...new Set(hosts.flatMap(({ groups }) => groups))].sort();

/** What the inbox can be narrowed to: Macs on which something waits, and their groups. */
interface Places {
  /** Names of the Macs; the empty one is this Mac. */
  hosts: string[];
  groups: string[];
}

/** The places to choose from; none while all that waits is on one Mac. */
export function placesOf(questions: Question[], known: FleetHost[], own: string[]): Places {
  const hosts = [...new Set(questions.map(({ host }) => host ?? ""))].sort();
  if (hosts.length < 2) return { hosts: [], groups: [] };
  const waits = [{ name: "", groups: own }, ...known].filter(({ name }) => hosts.includes(name));
  return { hosts, groups: groupNames(waits) };
}

/** Whether a question waits at a place: a Mac (`host:NAME`), a group (`group:NAME`), or anywhere (empty). */
export function isAt(question: Question, place: string, known: FleetHost[], own: string[]): boolean {
  const host = question.host ?? "";
  if (place.startsWith("host:")) return place === `host:${host}`;
  if (!place.startsWith("group:")) return true;
  const groups = host === "" ? own : (known.find(({ name }) => name === host)?.groups ?? []);
  return groups.includes(place.slice("group:".length));
}

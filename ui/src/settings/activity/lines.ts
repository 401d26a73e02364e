// The list of requests as lines: the same again and again is one line, and each day begins with its name.

import type { RequestRow } from "../../contract";
import { words } from "../words";

export interface Line {
  /** The newest of them. */
  row: RequestRow;
  /** The numbers of all of them, newest first. */
  ids: string[];
  /** The day's name, where one begins. */
  day: string | null;
}

const DAY = 24 * 3_600_000;

/** A day as people say it. */
export function dayName(at: number, now: number): string {
  const day = new Date(at).toDateString();
  if (day === new Date(now).toDateString()) return words.activity.days.today;
  if (day === new Date(now - DAY).toDateString()) return words.activity.days.yesterday;
  const year = new Date(at).getFullYear() === new Date(now).getFullYear() ? undefined : "numeric";
  return new Date(at).toLocaleDateString([], { weekday: "long", day: "numeric", month: "long", year });
}

/** Whether two requests are the same and came to the same. What goes on stands alone. */
const alike = (one: RequestRow, other: RequestRow): boolean =>
  (one.state === "finished" || one.state === "denied") &&
  one.agent === other.agent &&
  one.line === other.line &&
  one.state === other.state &&
  one.ending === other.ending &&
  one.exitCode === other.exitCode &&
  one.decided === other.decided;

/** @param rows  newest first */
export function linesOf(rows: RequestRow[], now: number): Line[] {
  const lines: Line[] = [];
  let day = "";
  for (const row of rows) {
    const last = lines.at(-1);
    const its = new Date(row.at).toDateString();
    if (last && its === day && alike(last.row, row)) last.ids.push(row.id);
    else lines.push({ row, ids: [row.id], day: its === day ? null : dayName(row.at, now) });
    day = its;
  }
  return lines;
}

// What became of a request, in a word or two.

import type { EndReason, RequestRow } from "../../contract";
import { activity } from "../../words/activity";

const reasons: Record<EndReason, string> = { ...activity.deniedBy, ...activity.ended };

/** @param exit  says how a program ended */
export function outcomeOf(row: RequestRow, exit: (code: number) => string = activity.exit): string {
  const state = activity.states[row.state];
  if (row.state === "allowed" && row.decided === null) return activity.left;
  if (row.state !== "denied" && row.state !== "finished") return state;
  if (row.exitCode !== null) return exit(row.exitCode);
  return row.ending ? reasons[row.ending] : state;
}

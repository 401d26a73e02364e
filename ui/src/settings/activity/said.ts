// Words for who decided a request, and for the moments of its life.

import type { Moment, RequestRow } from "../../contract";
import { words } from "../words";

/** Returns true if a rule decided. */
export const byRule = ({ decided }: RequestRow): boolean =>
  decided === "rule-allowed" || decided === "rule-denied";

/** Returns who allowed or denied a request; an empty text until it is decided. A rule is shown beside the request, so it has no number here. */
export function decidedBy(row: RequestRow): string {
  if (row.decided === null) return row.state === "allowed" ? words.activity.ownPrompt : "";
  const who = words.activity.decidedBy[row.decided];
  if (byRule(row)) {
    if (row.rule === null) return words.activity.builtIn;
    return row.rule < 0 ? `permissions.jsonc:${-row.rule}` : who;
  }
  return row.approver !== null && row.decided.startsWith("you-") ? `${who} (${row.approver})` : who;
}

/** Returns what happened at a moment. */
export function happened(moment: Moment): string {
  const { moments, states, deniedBy, ended } = words.activity;
  switch (moment.kind) {
    case "received":
    case "asked":
    case "started":
      return moments[moment.kind];
    case "allowed":
      return moment.approver === null ? states.allowed : moments.allowedBy(moment.approver);
    case "shown-in-chat":
      return moments.inChat(moment.door, moment.place, moment.message, moments.chat[moment.status]);
    case "ended":
      if (moment.state === "allowed") return words.activity.left;
      if (moment.state === "failed" || moment.ending === null) return states[moment.state];
      return { ...deniedBy, ...ended }[moment.ending];
  }
}

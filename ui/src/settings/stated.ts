// The state of the whole, in words.

import type { Status } from "../contract";
import { state } from "../words/window";
import { moment } from "./time";

/** How the state is marked: `ok`, `blocked`, `alert` where the person should look, `lost` without a host. */
export type Mark = "ok" | "blocked" | "alert" | "lost";

interface Stated {
  mark: Mark;
  text: string;
}

export function stated(status: Status | null, agents: number, lost: boolean, now: number): Stated {
  if (lost) return { mark: "lost", text: state.lost };
  if (status?.mode === "deny-all") return { mark: "lost", text: state.doubted };
  if (status?.mode === "paused") {
    const until = status.pausedUntil === null ? null : moment(status.pausedUntil, now);
    return { mark: "blocked", text: state.blocked(until) };
  }
  if (status?.faces.length === 0) return { mark: "alert", text: state.unseen };
  return { mark: (status?.attention.length ?? 0) > 0 ? "alert" : "ok", text: state.guarding(agents) };
}

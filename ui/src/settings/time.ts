// Times as people say them.

import { MINUTE } from "../parts/ago";
import { words } from "./words";

/** How long it took. */
export function took(ms: number | null): string {
  if (ms === null) return words.rules.unknown;
  if (ms < 1000) return words.time.ms(ms);
  if (ms < 2 * MINUTE) return words.time.s((ms / 1000).toFixed(1));
  return words.time.min(Math.round(ms / MINUTE));
}

/** A time of day, with the date where it is not today. */
export function moment(at: number, now: number): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString([], { hour: "numeric", minute: "2-digit" });
  const today = new Date(now).toDateString() === date.toDateString();
  return today ? time : `${date.toLocaleDateString([], { day: "numeric", month: "short" })} ${time}`;
}

// How long ago, as people say it.

import { words } from "../words";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function ago(at: number | null | undefined, now: number): string {
  if (at === null || at === undefined) return words.time.never;
  const gone = now - at;
  if (gone < MINUTE) return words.time.now;
  if (gone < HOUR) return words.time.minutes(Math.floor(gone / MINUTE));
  if (gone < DAY) return words.time.hours(Math.floor(gone / HOUR));
  if (gone < 2 * DAY) return words.time.yesterday;
  return words.time.days(Math.floor(gone / DAY));
}

/** A time to the millisecond, with its date. */
export function exactly(at: number): string {
  return new Date(at).toLocaleString([], {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
  });
}

// How a command that runs is followed.

import type { RunState } from "../../contract";

/** How often a running command's output is looked at, in milliseconds. */
export const LOOK = 700;

export const isLive = (state: RunState | undefined): boolean =>
  state === "starting" || state === "running" || state === "stopping";

// Words about updates of the app.

import type { UpdateState } from "../contract";
import { count } from "./count";

/** What an installation waits for. */
function reasons(questions: number, commands: number): string {
  const parts = [
    ...(questions > 0 ? [count(questions, "question")] : []),
    ...(commands > 0 ? [count(commands, "command")] : []),
  ];
  return parts.length > 0 ? parts.join(" and ") : "Postern’s host";
}

export const updates = {
  automatic: "Check for updates automatically",
  automaticHint: "Once a day. Nothing is downloaded or installed until you say so.",
  title: "Updates",
  check: "Check for Updates",
  restart: "Install and Restart",
  putOff: "Not Now",
  /** The state in words, with sizes as `bytes` writes them. */
  said(update: UpdateState, bytes: (size: number) => string): string {
    switch (update.state) {
      case "unknown":
        return "Not checked yet.";
      case "checking":
        return "Checking…";
      case "current":
        return "Postern is up to date.";
      case "available": {
        const { version, size } = update.release;
        const amount = size === null ? "" : ` (${bytes(size)})`;
        return `Version ${version} is available${amount}.`;
      }
      case "refused":
        return `Version ${update.version} is refused: version ${update.newest}, which runs here, is newer.`;
      case "downloading":
        return `Downloading version ${update.release.version}…`;
      case "waiting":
        return `Version ${update.release.version} waits for ${reasons(update.questions, update.commands)}.`;
      case "installing":
        return `Installing version ${update.release.version}. Postern then starts again.`;
      case "failed":
        return `Couldn’t update: ${update.reason}`;
    }
  },
} as const;

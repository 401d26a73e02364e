// The classes of an agent's settings.

import type { Settings } from "../contract";

/** Every class, in the order in which they are shown: those that run confined first. */
export const classGroups = {
  confined: ["look", "files", "build", "network"],
  open: ["share", "install", "system", "secrets"],
} as const;
const classNames = Object.values(classGroups).flat();
export type ClassName = (typeof classNames)[number];

/** Whether a class can be allowed only in folders that the person named. */
export const needsFolders = (name: ClassName) => name !== "look";

/** Other folders. Without any, what is allowed only in folders is asked about. */
export function withFolders(settings: Settings, folders: string[]): Partial<Settings> {
  if (folders.length > 0) return { folders };
  const gone = classNames.filter((name) => needsFolders(name) && settings[name] === "allow");
  return { folders, ...Object.fromEntries(gone.map((name) => [name, "ask"])) };
}

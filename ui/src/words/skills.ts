// Words of the skills' page.

import { count } from "./count";

export const skills = {
  hint: "A skill is a folder with a SKILL.md that names its CLIs. Approving a CLI allows exactly that file. When it changes, you are asked again.",
  where: "Folders",
  addLabel: "Folder of skills",
  add: "Watch Folder",
  stop: "Stop Watching",
  stopName: (folder: string) => `Stop watching ${folder}`,
  stopTitle: "Stop watching a folder",
  stopConfirm: (folder: string) =>
    `Stop watching ${folder}? Its skills leave this list. Their CLIs are no longer allowed.`,
  none: "No skills yet.",
  noneHint: "Add the folder that your agents keep their skills in. Nothing is allowed until you approve it.",
  found: (n: number) => count(n, "skill"),
  approve: "Approve",
  approveAgain: "Approve Again",
  approveAll: "Approve All",
  approved: (name: string) => `Approved: ${name}.`,
  states: {
    new: "new",
    approved: "approved",
    changed: "changed",
    missing: "not found",
    refused: "can’t be approved",
  } as Record<string, string>,
  usedBy: "Allowed to use approved CLIs",
  usedByNone: "No agent may use them without asking you.",
  usedByHint: "Each agent’s page has the switch.",
  noClis: "names no CLI",
} as const;

// Words of what an agent may do without asking: its classes, and the choice for a new agent.

import { computer } from "./platform";

export const classes = {
  title: "What it may do without asking",
  limits:
    "Your rules come first. Dangerous commands and protected places still ask. So does what can run its code unconfined, such as git push.",
  groups: {
    confined: {
      title: "Confined",
      hint: "It writes only in its folders and reads no keys. It has no network unless you allow it.",
    },
    open: { title: "With your full access", hint: "What you allow here can do what you can do." },
  },
  always: "Ask is set to Always: you are asked about these, too.",
  needFolders: "Choose its folders first. Without them, you can allow only Look around.",
  cannotConfine: `This ${computer} can’t confine commands. You are asked even if you allow them:`,
  cannotConfineProject: `This ${computer} can’t confine work in folders. You are asked even if you allow the last three:`,
  access: { allow: "Allow", ask: "Ask", deny: "Deny" },
  rows: {
    look: { title: "Look around", hint: "Read its folders and the system’s files: ls, rg, git log." },
    files: { title: "Change its files", hint: "Edit and delete files in its folders, and commit." },
    build: { title: "Run project code", hint: "Run tests, builds and scripts in its folders." },
    network: {
      title: "Use the network",
      hint: "Download, from project code too. That can carry your data out.",
    },
    share: { title: "Share", hint: "Push, send and publish: git push, npm publish." },
    install: { title: "Install software", hint: "Install packages and apps, and run what it downloads." },
    system: {
      title: `Change this ${computer}`,
      hint: "Change settings and apps, leave its folders, run elsewhere.",
    },
    secrets: { title: "Use secrets", hint: "Use keys, passwords and tokens." },
  },
  loopback: "Local servers",
  loopbackHint: "Its code can serve and connect on localhost. That includes other programs’ servers.",
  start: {
    label: "Without asking",
    ask: {
      title: "Ask about everything",
      hint: "You are asked about every command that no rule allows.",
    },
    look: {
      title: "Let it look around",
      hint: "It reads its project and system files, but no keys. You are asked about the rest.",
    },
    work: {
      title: "Let it work in its folders, confined",
      hint: "It also edits, builds and tests there. Its only network is localhost. You are asked about the rest, and about anything dangerous.",
    },
    cannotConfine: `This ${computer} can’t confine it:`,
    folders: "Its folders",
    foldersHint: "One per line. Its commands can start only here.",
    folderBad: "Begin each folder with / or ~/.",
  },
} as const;

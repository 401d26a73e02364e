// Words of what an agent may do without asking: its classes, and the choice for a new agent.

import { computer } from "./platform";

export const classes = {
  title: "What it may do without asking",
  limits:
    "Your rules come first. You are still asked about dangerous commands, protected places such as shell profiles, and commands that could run its code with your full access, such as git push.",
  groups: {
    confined: {
      title: "Confined",
      hint: "It writes only in its folders, reads no keys, and uses the network only if you allow it.",
    },
    open: { title: "With your full access", hint: "What you allow here can do what you can do." },
  },
  always: "You set Ask to Always, so you are asked about what is allowed here, too.",
  needFolders: "Choose its folders first. Without them, you can allow only Look around.",
  cannotConfine: `This ${computer} can’t confine commands, so you are asked even where you allow them:`,
  cannotConfineProject: `This ${computer} can’t confine work in folders, so you are asked even where you allow the last three:`,
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
      hint: "Change settings, control apps, reach outside its folders, run elsewhere.",
    },
    secrets: { title: "Use secrets", hint: "Use keys, passwords and tokens." },
  },
  loopback: "Local servers",
  loopbackHint: "Its code can serve and connect on localhost, other programs’ servers included.",
  start: {
    label: "Without asking",
    ask: {
      title: "Ask about everything",
      hint: "You are asked about every command that none of your rules allows.",
    },
    look: {
      title: "Let it look around",
      hint: "It reads its project and the system’s files without asking, but no keys; you are asked about the rest.",
    },
    work: {
      title: "Let it work in its folders, confined",
      hint: "It also edits, builds and tests there without asking, with no network but localhost; you are asked about the rest, and about anything dangerous.",
    },
    cannotConfine: `This ${computer} can’t confine it:`,
    folders: "Its folders",
    foldersHint: "One per line. Its commands can start only here.",
    folderBad: "Begin each folder with / or ~/.",
  },
} as const;

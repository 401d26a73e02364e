// Words of the doors: who is connected, who can answer.

import { count } from "./count";

export const doors = {
  title: "Doors",
  hint: "Each agent has a socket and a key of its own. Nothing else lets anybody ask.",
  channels: "Agents’ channels",
  connections: (n: number) => (n === 0 ? "nobody connected" : count(n, "connection")),
  client: (name: string, version: string) => `${name} ${version}`,
  since: (ago: string) => `since ${ago}`,
  lastSeen: (ago: string) => `last asked ${ago}`,
  neverSeen: "never asked",
  test: "Test",
  testTitle: (name: string) => `Test of ${name}’s channel`,
  testHint: "Runs “uname -s” through the channel, as the agent would.",
  testSteps: {
    sent: "Sent over the channel",
    asking: "Waits for your answer",
    running: "Runs",
    finished: (ms: string) => `It works: ran in ${ms}`,
    denied: "The channel works. The command was denied, as your rules say:",
    failed: "The channel works, but the command could not be started:",
    refused: (why: string) => `The channel does not work: ${why}`,
  },
  lines: "How to connect…",
  rotate: "New key…",
  rotateTitle: "New key",
  rotateConfirm: (name: string) =>
    `${name} gets a new key. What is connected with the old one is cut off, and must be given the new key file.`,
  rotateDo: "Make new key",
  rotated: (name: string) => `${name} has a new key.`,
  revoke: "Revoke…",
  revokeTitle: "Revoke",
  revokeConfirm: (name: string) =>
    `Remove ${name}, its channel, its key and its rules? Whoever is connected is cut off. Its history stays.`,
  revokeDo: "Revoke",
  approvers: "Who can answer",
  approversHint: "Questions are shown here. Agents cannot reach these.",
  approverKinds: { window: "This app’s window", terminal: "A terminal", remote: "A remote approver" },
  approversNone: "Nobody: what would be asked is denied.",
  none: "No agent yet.",
  noneHint: "Add one: it gets a channel, a key and rules of its own.",
  more: "More",
  socket: "Socket",
  key: "Key file",
} as const;

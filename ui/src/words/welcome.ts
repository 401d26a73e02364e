// The words of the first run and of adding an agent.

export const welcome = {
  title: "Welcome to Postern",
  steps: { what: "What it is", enrol: "Your first agent", try: "Try it" },
  lead: "Agents in a sandbox sometimes need this computer: to push, to build, to open something. Postern is the only door, and you hold the key.",
  facts: [
    {
      title: "It asks",
      text: "A command that no rule covers is shown in full before it runs. Deny is always the first choice.",
    },
    {
      title: "It learns what you allow",
      text: "“Always allow” saves the narrowest rule that fits, bound to the program as it is.",
    },
    {
      title: "It remembers",
      text: "Every request, its answer and its output stay on this machine, for as long as you want.",
    },
  ],
  begin: "Add the first agent",
  later: "Later",
  back: "Back",
  next: "Continue",
  done: "Done",
  add: {
    title: "Add an agent",
    steps: { name: "Name", connect: "Connect", try: "Try" },
    hint: "Each agent has its own channel, its own key and its own rules.",
    name: "Name",
    nameHint: "Letters, digits, dot, dash and underscore. It names the channel’s folder.",
    taken: "There is an agent of this name already.",
    shown: "Shown as",
    start: "To begin with",
    add: "Add agent",
  },
  connect: (name: string) => `Put the channel of ${name} into its sandbox`,
  connectHint: "Give the sandbox this folder and nothing else of Postern. These lines do it:",
  try: (name: string) => `Ask for something, as ${name} would`,
  tryHint:
    "A harmless command goes through the channel, from end to end. Postern asks you, as it will from now on: look at it and allow it once.",
} as const;

// The system that the windows run on: what its keys and the computer are called.

type Platform = "mac" | "linux";

const platform: Platform = /Mac/.test(globalThis.navigator?.platform ?? "") ? "mac" : "linux";

export const onMac = platform === "mac";

/** What people call it: “this …”, “your …”. */
export const computer = { mac: "Mac", linux: "computer" }[platform];

/** A key together with the one for commands. */
export const key = { mac: (letter: string) => `⌘${letter}`, linux: (letter: string) => `Ctrl+${letter}` }[
  platform
];

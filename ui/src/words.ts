// Every word that a person reads in the windows, in one place. Plain and short. Those of the settings' longer pages stand in
// `words/`: the approval page does not carry them.

import { count } from "./words/count";
import { panel } from "./words/panel";

export { count };

export const words = {
  ...panel,
  time: {
    now: "just now",
    minutes: (n: number) => `${n} min ago`,
    hours: (n: number) => `${n} h ago`,
    yesterday: "yesterday",
    days: (n: number) => `${n} days ago`,
    never: "never",
    ms: (n: number) => `${n} ms`,
    s: (n: string) => `${n} s`,
    min: (n: number) => `${n} min`,
  },
} as const;

// The icons of agents: lines in a square of 16. A letter is drawn as text.

import type { AgentIcon } from "../contract/AgentIcon";

export const icons: Record<Exclude<AgentIcon, "letter">, string> = {
  spark: "M8 2v12M2.8 5l10.4 6m0-6L2.8 11",
  terminal: "M3 4.5 6.5 8 3 11.5M8.5 12H13",
  braces:
    "M6 3C4 3 4.6 4.6 4.6 6S4 8 3 8c1 0 1.6.6 1.6 2S4 13 6 13m4-10c2 0 1.4 1.6 1.4 3s.6 2 1.6 2c-1 0-1.6.6-1.6 2s.6 3-1.4 3",
  cursor: "M4 3l9 4-4 1.5L7.5 13z",
  star: "M8 2c.7 3.6 2.4 5.3 6 6-3.6.7-5.3 2.4-6 6-.7-3.6-2.4-5.3-6-6 3.6-.7 5.3-2.4 6-6z",
  globe: "M2.5 8a5.5 5.5 0 1 0 11 0 5.5 5.5 0 1 0-11 0h11M8 2.5c2.3 2.3 2.3 8.7 0 11-2.3-2.3-2.3-8.7 0-11",
  hammer: "M3 13.5 9 7.5M6 5l3.5-3 4.5 4.5L11 10z",
  flask: "M6 2.5h4m-3 0v4L3.5 13.5h9L9 6.5v-4M5 10.5h6",
  notebook: "M8 4c-1.2-1.1-3-1.3-5-.5v9c2-.8 3.8-.6 5 .5 1.2-1.1 3-1.3 5-.5v-9c-2-.8-3.8-.6-5 .5v9",
  rocket:
    "M8 2c2.5 1.8 3.5 4.5 2.8 8H5.2C4.5 6.5 5.5 3.8 8 2zM5.2 8 3.5 10.5V13l2.5-2m4.8-3 1.7 2.5V13L10 11",
  box: "M8 2l5.5 2.8v6.4L8 14l-5.5-2.8V4.8zM2.5 4.8 8 7.6l5.5-2.8M8 7.6V14",
};

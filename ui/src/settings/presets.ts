// The starting points of an agent's settings.

import type { Preset, Settings } from "../contract";

export const presets: Record<Preset, Pick<Settings, "security" | "ask">> = {
  deny: { security: "deny", ask: "off" },
  ask: { security: "allowlist", ask: "on-miss" },
  allow: { security: "full", ask: "off" },
};

/** Whether commands run with no question at all, but for what a deny rule or Postern forbids. */
export const opensAll = ({ security, ask }: Pick<Settings, "security" | "ask">) =>
  security === "full" && ask !== "always";

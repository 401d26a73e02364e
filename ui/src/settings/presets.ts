// The starting points of an agent's settings.

import type { Preset, Settings } from "../contract";

export const presets: Record<Preset, Pick<Settings, "security" | "ask">> = {
  deny: { security: "deny", ask: "off" },
  ask: { security: "allowlist", ask: "on-miss" },
  allow: { security: "full", ask: "off" },
};

// Agents, rules and requests for the fake backend.

import type {
  AgentRow,
  Effect,
  Identity,
  Lifetime,
  Pattern,
  Piece,
  RuleRow,
  Settings,
  Source,
} from "../contract";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const defaults: Settings = {
  security: "allowlist",
  ask: "on-miss",
  elevated: true,
  fallback: "deny",
  approvalTimeoutMs: 120_000,
  unattended: "deny",
  runTimeoutMs: 30_000,
  runTimeoutCapMs: 300_000,
  allowSkills: false,
  allowReadOnly: false,
  unreadable: "ask",
  envSet: [],
  envPass: [],
  folders: [],
  searchPath: [],
  outputCapBytes: 1024 * 1024,
  questionsPerMinute: 6,
  requestsPerSecond: 50,
  maxRunning: 4,
};

export function agent(id: string, name: string, color: string, now: number): AgentRow {
  return {
    id,
    name,
    color,
    settings: { ...defaults },
    preset: "ask",
    connected: false,
    socket: `~/Library/Application Support/Postern/agents/${id}/agent.sock`,
    keyFile: `~/Library/Application Support/Postern/agents/${id}/agent.key`,
    uids: [],
    allowRules: 0,
    denyRules: 0,
    createdAt: now,
    lastSeenAt: null,
    deniedUntil: null,
  };
}

export function agents(now: number): AgentRow[] {
  return [
    {
      ...agent("builder", "builder", "#7a5af8", now - 90 * DAY),
      connected: true,
      lastSeenAt: now - 2 * MINUTE,
      settings: { ...defaults, allowSkills: true },
    },
    { ...agent("research", "research", "#e4572e", now - 30 * DAY), lastSeenAt: now - 3 * HOUR },
    {
      ...agent("release", "release", "#1f8a4c", now - 12 * DAY),
      preset: "deny",
      settings: { ...defaults, security: "deny", ask: "off" },
      locked: ["security", "ask"],
    },
  ];
}

const identity = (version: string | null): Identity => ({
  sha256: "9f3ac41e".repeat(8),
  size: 5_242_880,
  mtimeNs: "1760000000000000000",
  ctimeNs: "1760000000000000000",
  device: 1,
  inode: "4242",
  version,
  signature: null,
});

export interface Sample {
  pattern: Pattern;
  text: string;
  effect?: Effect;
  agent?: string | null;
  source?: Source;
  from?: string;
  lifetime?: Lifetime;
  used?: number;
  count?: number;
  command?: string;
  path?: string;
  version?: string;
  pinned?: boolean;
  why?: string;
  shown?: Piece[];
  remarks?: string[];
}

export function rule(id: number, now: number, sample: Sample): RuleRow {
  return {
    rule: {
      id,
      effect: sample.effect ?? "allow",
      agent: sample.agent === undefined ? "builder" : sample.agent,
      pattern: sample.pattern,
      args: null,
      pin: sample.pinned ? { program: identity(sample.version ?? null), script: null } : null,
      allowWrites: false,
      source: sample.source ?? { kind: "person" },
      lifetime: sample.lifetime ?? { kind: "forever" },
      why: sample.why ?? null,
      matches: [],
      misses: [],
      createdAt: now - 20 * DAY,
      usage: {
        count: sample.count ?? 0,
        lastUsedAt: sample.used === undefined ? null : now - sample.used,
        lastCommand: sample.command ?? null,
        lastPath: sample.path ?? null,
        lastSeen: sample.version ? identity(sample.version) : null,
      },
    },
    text: sample.text,
    shown: sample.shown ?? [{ text: sample.text, escaped: false }],
    lastPath: sample.path ?? null,
    why: sample.why ?? null,
    from: sample.from ?? "you",
    remarks: sample.remarks ?? [],
  };
}

const path = (value: string): Pick<Sample, "pattern" | "text"> => ({
  pattern: { kind: "path", value },
  text: value,
});
const command = (value: string): Pick<Sample, "pattern" | "text"> => ({
  pattern: { kind: "command", value },
  text: value,
});

export function rules(now: number): RuleRow[] {
  const samples: Sample[] = [
    {
      ...path("/opt/homebrew/bin/rg"),
      used: 2 * MINUTE,
      count: 1911,
      command: 'rg -n "TODO" src',
      path: "/opt/homebrew/bin/rg",
      version: "14.1.1",
      pinned: true,
    },
    {
      ...command("git push *"),
      used: HOUR,
      count: 48,
      command: "git push origin main",
      path: "/opt/homebrew/bin/git",
      version: "2.51.0",
      from: "always",
      source: { kind: "always" },
    },
    {
      ...path("~/.local/bin/*"),
      used: 3 * DAY,
      count: 6,
      command: "deploy --dry-run",
      path: "~/.local/bin/deploy",
      remarks: ["too broad"],
    },
    {
      ...command("npm run build"),
      used: DAY,
      count: 12,
      command: "npm run build",
      path: "/opt/homebrew/bin/npm",
      version: "10.9.0",
      from: "always",
      source: { kind: "always" },
      lifetime: { kind: "until", value: now + 5 * HOUR },
    },
    {
      ...path("~/Projects/**/bin/bird"),
      used: 5 * DAY,
      count: 203,
      command: "bird timeline --json",
      path: "~/Projects/bird/bin/bird",
      version: "0.4.2",
      from: "skill bird",
      source: { kind: "skill", name: "bird" },
      remarks: ["changed"],
      pinned: true,
    },
    {
      ...path("/usr/bin/xcodebuild"),
      used: 6 * DAY,
      count: 77,
      command: "xcodebuild -scheme App test",
      path: "/usr/bin/xcodebuild",
      version: "16.2",
    },
    {
      ...command("git push origin *"),
      used: 8 * DAY,
      count: 2,
      command: "git push origin release",
      path: "/opt/homebrew/bin/git",
      version: "2.51.0",
      remarks: ["covered by rule 2"],
      why: "before git push * was allowed",
    },
    {
      ...path("/opt/homebrew/bin/fd"),
      from: "import",
      source: { kind: "import" },
      version: "10.2.0",
      remarks: ["unused"],
    },
    {
      ...command("rm -rf *"),
      effect: "deny",
      used: 9 * DAY,
      count: 3,
      command: "rm -rf build",
      path: "/bin/rm",
    },
    { ...path("/usr/bin/osascript"), effect: "deny" },
    {
      ...command("git status *"),
      agent: null,
      used: 4 * MINUTE,
      count: 640,
      command: "git status --short",
      path: "/opt/homebrew/bin/git",
      version: "2.51.0",
    },
    { ...path("/usr/bin/security"), agent: null, effect: "deny" },
  ];
  return samples.map((sample, i) => rule(i + 1, now, sample));
}

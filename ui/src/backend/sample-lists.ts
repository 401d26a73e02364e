// Agents, rules and the rest of the lists for the fake backend. A real host gave them: `scripts/record-samples` writes
// recorded-lists.json. What a test wants more of is made of these.

import type {
  AgentRow,
  Effect,
  Lifetime,
  Pattern,
  Profile,
  RequestDetail,
  RuleOffers,
  RulePreview,
  RuleRow,
  SkillRow,
} from "../contract";
import type { Result } from "./backend";
import explained from "./recorded-explain.json";
import recorded from "./recorded-lists.json";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** What was recorded, by method: as a method gives it, or under a name of its own. */
interface Lists {
  status: Result<"status">;
  "settings.get": Result<"settings.get">;
  "data.use": Result<"data.use">;
  "agents.list": Result<"agents.list">;
  "rules.list": Result<"rules.list">;
  "skills.list": Result<"skills.list">;
  "doors.list": Result<"doors.list">;
  "sessions.list": Result<"sessions.list">;
  "permissions.get": Result<"permissions.get">;
  "agents.channel": Result<"agents.channel">;
  "insights.get": Result<"insights.get">;
  "insights.suggest": Result<"insights.suggest">;
  /** Newest first. */
  requests: { detail: RequestDetail; offers: RuleOffers }[];
  /** What is said of a rule, by what was typed. */
  "rules.preview": Record<string, RulePreview>;
  "agents.test": RequestDetail;
  /** An attack in every field. */
  hostile: { requests: RequestDetail[]; rules: RuleRow[]; skills: SkillRow[] };
}

/** What `postern explain --json` says of a command, by its text. */
export const verdicts = explained as unknown as Record<string, Result<"explain">>;

/** When all of it was read. */
const READ = recorded.status.startedAt;

let made: { now: number; lists: Lists } | undefined;

/** What was recorded, as if it had been read just now. Not to be changed: the next one who asks gets the same. */
export function lists(now = Date.now()): Lists {
  // JSON keeps no unions: a test of the host holds the file to the contract.
  if (made?.now !== now) made = { now, lists: later(recorded, now - READ) as unknown as Lists };
  return made.lists;
}

/** The same with every time so much later. */
function later(value: unknown, by: number): unknown {
  if (typeof value === "number") return value > 1_500_000_000_000 ? value + by : value;
  if (Array.isArray(value)) return value.map((one) => later(one, by));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, later(one, by)]));
}

/** An agent that was added just now. */
export function agent(id: string, name: string, now: number): AgentRow {
  const all = lists(now);
  const like = all["agents.list"].agents[0] ?? raise();
  const own = (path: string) => path.replace(`/${like.id}/`, `/${id}/`);
  return {
    ...like,
    id,
    name,
    icon: "letter",
    settings: all["settings.get"].newAgent,
    preset: "ask",
    connected: false,
    socket: own(like.socket),
    keyFile: own(like.keyFile),
    allowRules: 0,
    denyRules: 0,
    lastSeenAt: null,
  };
}

/** The recorded agents, and what an organisation decides for the last of them. */
export function agents(now: number): AgentRow[] {
  const [builder, release, research] = lists(now)["agents.list"].agents;
  if (!builder || !release || !research) return raise();
  return [
    { ...builder, icon: "letter" },
    { ...research, icon: "globe" },
    { ...release, icon: "rocket", locked: ["security", "ask"] },
  ];
}

export const rules = (now: number): RuleRow[] => structuredClone(lists(now)["rules.list"].rules);

/** How a rule differs from the recorded one that it is made of. */
interface Sample {
  pattern: Pattern;
  text: string;
  effect?: Effect;
  agent?: string | null;
  used?: number;
  count?: number;
  command?: string;
  pinned?: boolean;
  confine?: Profile;
  lifetime?: Lifetime;
  why?: string | null;
  remarks?: RuleRow["remarks"];
}

/** A rule like a recorded one. */
export function rule(id: number, now: number, sample: Sample): RuleRow {
  const like = lists(now)["rules.list"].rules[0] ?? raise();
  const why = sample.why ?? null;
  return {
    ...like,
    rule: {
      ...like.rule,
      id,
      effect: sample.effect ?? "allow",
      agent: sample.agent === undefined ? "builder" : sample.agent,
      pattern: sample.pattern,
      pin: sample.pinned ? like.rule.pin : null,
      confine: sample.confine,
      lifetime: sample.lifetime ?? { kind: "forever" },
      why,
      usage: {
        count: sample.count ?? 0,
        lastUsedAt: sample.used === undefined ? null : now - sample.used,
        lastCommand: sample.command ?? null,
        lastPath: null,
        lastSeen: null,
      },
    },
    text: sample.text,
    shown: [{ text: sample.text, kind: "plain" }],
    lastPath: null,
    why,
    remarks: sample.remarks ?? [],
  };
}

export function raise(): never {
  throw new Error("the samples are empty");
}

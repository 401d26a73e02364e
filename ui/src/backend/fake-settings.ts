// The settings page's stand-in: lists in memory, changed as the app would change them.

import type {
  AgentRow,
  Pattern,
  Preset,
  RequestFilter,
  RuleDraft,
  RuleRow,
  Settings,
  Status,
} from "../contract";
import type { Method, News, Params, Result, SettingsBackend } from "./backend";
import { agent, agents, detail, requests, rule, rules } from "./sample-lists";

type Handlers = { [M in Method]?: (params: Params<M>) => Result<M> };

export class FakeSettings implements SettingsBackend {
  private readonly now = Date.now();
  private agentRows: AgentRow[] = agents(this.now);
  private ruleRows: RuleRow[] = rules(this.now);
  private requestRows = requests(this.now);
  private told: (what: News) => void = () => undefined;
  private login = false;
  private permissionsText = '{ "*": "ask" }\n';
  private paused: number | null = null;

  constructor(extraRules = 0) {
    for (let i = 0; i < extraRules; i += 1) {
      const path = `/opt/tools/bin/tool-${i}`;
      this.ruleRows.push(rule(1000 + i, this.now, { pattern: { kind: "path", value: path }, text: path }));
    }
    this.count();
  }

  async call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    const handler = this.handlers[method] as ((params: Params<M>) => Result<M>) | undefined;
    if (!handler) throw new Error(`the fake has no ${method}`);
    return handler(params);
  }

  async launchAtLogin() {
    return this.login;
  }

  async setLaunchAtLogin(on: boolean) {
    this.login = on;
  }

  /** Says that something happened. */
  tell(what: News) {
    this.told(what);
  }

  watch(told: (what: News) => void) {
    this.told = told;
    return () => {
      this.told = () => undefined;
    };
  }

  private readonly handlers: Handlers = {
    status: () => this.status(),
    pause: ({ forMs }) => {
      this.paused = this.now + (forMs ?? 0);
      this.told("status.changed");
      return this.status();
    },
    resume: () => {
      this.paused = null;
      this.told("status.changed");
      return this.status();
    },
    "agents.list": () => ({ agents: this.agentRows }),
    "agents.add": ({ agent: id, name }) => {
      const row = agent(id, name ?? id, "#2b8fd8", this.now);
      this.agentRows = [...this.agentRows, row];
      this.told("agents.changed");
      return row;
    },
    "agents.set": ({ agent: id, settings }) => {
      this.agentRows = this.agentRows.map((row) =>
        row.id === id && settings ? { ...row, settings, preset: presetOf(settings) } : row,
      );
      this.told("agents.changed");
      return this.find(id);
    },
    "agents.remove": ({ agent: id }) => {
      this.agentRows = this.agentRows.filter((row) => row.id !== id);
      this.told("agents.changed");
      return { applied: true };
    },
    "agents.channel": ({ agent: id, kind }) => {
      const { socket, keyFile } = this.find(id);
      const text =
        kind === "plain"
          ? `export POSTERN_SOCKET='${socket}'\nexport POSTERN_KEY_FILE='${keyFile}'`
          : `${kind} … ${socket}`;
      return { kind, text, socket, keyFile };
    },
    "rules.list": ({ agent: id }) => ({
      rules: this.ruleRows.filter(({ rule: one }) => !id || one.agent === id || one.agent === null),
    }),
    "rules.add": (draft) => {
      const row = this.fromDraft(this.ruleRows.length + 5000, draft);
      this.ruleRows = [row, ...this.ruleRows];
      this.count();
      this.told("rules.changed");
      return row;
    },
    "rules.update": ({ id, rule: draft }) => {
      const row = this.fromDraft(id, draft);
      this.ruleRows = this.ruleRows.map((old) =>
        old.rule.id === id ? { ...row, rule: { ...row.rule, usage: old.rule.usage } } : old,
      );
      this.told("rules.changed");
      return row;
    },
    "rules.remove": ({ id }) => {
      this.ruleRows = this.ruleRows.filter((row) => row.rule.id !== id);
      this.count();
      this.told("rules.changed");
      return { applied: true };
    },
    "permissions.get": ({ agent: id }) => this.permissions(id),
    "permissions.set": ({ agent: id, text }) => {
      const at = text.indexOf("oops");
      if (at >= 0) throw new Error(`line 1, column ${at + 1}: expected a value`);
      this.permissionsText = text;
      return this.permissions(id);
    },
    "requests.list": (filter) => this.page(filter),
    "requests.get": ({ id }) =>
      detail(this.requestRows.find((row) => row.id === id) ?? this.requestRows[0] ?? raise()),
    "requests.kill": () => ({ applied: true }),
  };

  private permissions(id: string) {
    const path = `~/Library/Application Support/Postern/agents/${id}/permissions.jsonc`;
    return { agent: id, path, text: this.permissionsText, problem: null };
  }

  private page({ agent: id, search, limit }: RequestFilter) {
    const found = this.requestRows.filter(
      (row) => (!id || row.agent === id) && (!search || row.line.includes(search)),
    );
    return { requests: found.slice(0, limit ?? 100), next: null };
  }

  private find(id: string): AgentRow {
    return this.agentRows.find((row) => row.id === id) ?? raise();
  }

  private count() {
    const of = (id: string, effect: string) =>
      this.ruleRows.filter(({ rule: one }) => one.agent === id && one.effect === effect).length;
    this.agentRows = this.agentRows.map((row) => ({
      ...row,
      allowRules: of(row.id, "allow"),
      denyRules: of(row.id, "deny"),
    }));
  }

  private fromDraft(id: number, draft: RuleDraft): RuleRow {
    if (draft.text.trim() === "" || draft.text === "*")
      throw new Error("a rule that allows everything is refused");
    const kind = draft.kind ?? (/[/~]/.test(draft.text) ? "path" : "command");
    const pattern: Pattern =
      kind === "path" ? { kind, value: draft.text } : { kind: "command", value: draft.text };
    const row = rule(id, this.now, {
      pattern,
      text: draft.text,
      effect: draft.effect,
      agent: draft.agent ?? null,
      pinned: draft.pin,
    });
    return {
      ...row,
      rule: { ...row.rule, why: draft.why ?? null, lifetime: draft.lifetime ?? { kind: "forever" } },
    };
  }

  private status(): Status {
    return {
      version: "0.1.0",
      pid: 4242,
      data: "~/Library/Application Support/Postern",
      mode: this.paused === null ? "listening" : "paused",
      pausedUntil: this.paused,
      waiting: 1,
      running: 1,
      faces: ["window"],
      attention: [],
      startedAt: this.now - 3 * 3_600_000,
    };
  }
}

function presetOf(settings: Settings): Preset | null {
  const both = `${settings.security}/${settings.ask}`;
  return both === "deny/off"
    ? "deny"
    : both === "allowlist/on-miss"
      ? "ask"
      : both === "full/off"
        ? "allow"
        : null;
}

function raise(): never {
  throw new Error("there is no such thing");
}

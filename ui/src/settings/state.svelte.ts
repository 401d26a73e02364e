// What the settings page knows, kept fresh by what the app tells.

import type { Method, News, Params, Result, SettingsBackend } from "../backend/backend";
import type { AgentRow, Status } from "../contract";

export type Page =
  { kind: "activity" } | { kind: "settings" } | { kind: "add" } | { kind: "agent"; id: string };

/** The page that an address ends with: `#activity`, `#settings`, or an agent's name. */
export function pageOf(fragment: string): Page {
  const name = fragment.replace(/^#/, "");
  if (name === "" || name === "activity") return { kind: "activity" };
  return name === "settings" ? { kind: "settings" } : { kind: "agent", id: name };
}

export class State {
  status: Status | null = $state.raw(null);
  agents: AgentRow[] = $state.raw([]);
  page: Page = $state.raw({ kind: "activity" });
  /** Whether the host has stopped: the app tries to reach it, or becomes it. */
  lost = $state(false);
  /** What went wrong last, in the app's words. */
  problem: string | null = $state(null);
  /** Raised when rules or requests changed: lists that show them read again. */
  rulesChanged = $state(0);
  requestsChanged = $state(0);
  now = $state(Date.now());

  constructor(readonly backend: SettingsBackend) {}

  /** Reads everything once, then whenever told. Gives what ends it. */
  start(): () => void {
    this.readAll();
    const stop = this.backend.watch((what) => this.hear(what));
    const tick = setInterval(() => (this.now = Date.now()), 30_000);
    return () => {
      stop();
      clearInterval(tick);
    };
  }

  /** Calls the app; what goes wrong is shown, and gives null. */
  async try<M extends Method>(method: M, params: Params<M>): Promise<Result<M> | null> {
    try {
      return await this.backend.call(method, params);
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
      return null;
    }
  }

  agent(id: string): AgentRow | undefined {
    return this.agents.find((row) => row.id === id);
  }

  async readAgents() {
    this.agents = (await this.try("agents.list", {}))?.agents ?? this.agents;
  }

  private readAll() {
    void this.readStatus();
    void this.readAgents();
  }

  private async readStatus() {
    this.status = (await this.try("status", {})) ?? this.status;
  }

  private hear(what: News) {
    this.now = Date.now();
    switch (what) {
      case "host.lost":
        this.lost = true;
        break;
      case "host.back":
        this.lost = false;
        this.problem = null;
        this.rulesChanged += 1;
        this.requestsChanged += 1;
        this.readAll();
        break;
      case "question.opened":
      case "question.changed":
      case "question.closed":
      case "status.changed":
      case "attention":
        void this.readStatus();
        break;
      case "agents.changed":
        void this.readAgents();
        break;
      case "rules.changed":
      case "skills.changed":
        this.rulesChanged += 1;
        void this.readAgents();
        break;
      case "request.changed":
        this.requestsChanged += 1;
        break;
    }
  }
}

// What the settings page knows, kept fresh by what the app tells.

import type { Method, News, Params, Result, SettingsBackend } from "../backend/backend";
import type { AgentRow, FleetHost, Question, Status, UpdateState } from "../contract";
import { reason } from "../parts/escaped";
import { type Page, addressOf } from "./page";
import { Changes } from "./rules/changes.svelte";
import { words } from "./words";

/** The lists that another Mac of the fleet can be asked for, and how. */
const ELSEWHERE = {
  "requests.list": "fleet.requests",
  "rules.list": "fleet.rules",
  "insights.get": "fleet.insights",
} as const;

/** How long a word about what was done stays, in milliseconds. */
const SAID = 8000;

export class State {
  status: Status | null = $state.raw(null);
  agents: AgentRow[] = $state.raw([]);
  /** Those whose own hook leads here: they connect only while they ask. */
  private hooked: string[] = $state.raw([]);
  /** Whether the agents were read at all. */
  known = $state(false);
  /** The state of the app's updates; null if this build has no updater. */
  update: UpdateState | null = $state.raw(null);
  /** What waits for a person, oldest first. */
  questions: Question[] = $state.raw([]);
  private shown: Page = $state.raw({ kind: "inbox" });
  /** The other Macs of the fleet that can be read. */
  hosts: FleetHost[] = $state.raw([]);
  /** The groups of this one in the fleet. */
  groups: string[] = $state.raw([]);
  /** The one whose requests, rules and counts are shown; empty for this one. */
  host = $state("");
  /** Whether requests, rules and counts are this Mac's. Another one sends its rows, and nothing more about them. */
  here = $derived(this.host === "");
  /** Whether the host has stopped: the app tries to reach it, or becomes it. */
  lost = $state(false);
  /** What went wrong last, in the app's words. */
  problem: string | null = $state(null);
  /** What was done last, and whether it can be undone. */
  said: { text: string; undo: boolean } | null = $state.raw(null);
  /** Raised when rules, requests or connections changed: lists that show them read again. */
  rulesChanged = $state(0);
  requestsChanged = $state(0);
  doorsChanged = $state(0);
  now = $state(Date.now());
  readonly changes = new Changes(this);
  private saying: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly backend: SettingsBackend,
    begins: Page = { kind: "inbox" },
  ) {
    this.shown = begins;
  }

  get page(): Page {
    return this.shown;
  }

  /** The settings have a window of their own: what this one does not show opens in the other. */
  set page(to: Page) {
    if ((to.kind === "settings") === (this.shown.kind === "settings")) {
      this.shown = to;
      return;
    }
    void this.backend.open(addressOf(to));
  }

  /** Reads everything once, then whenever told. Gives what ends it. */
  start(): () => void {
    this.readAll();
    const stop = this.backend.watch((what) => this.hear(what));
    const tick = setInterval(() => (this.now = Date.now()), 30_000);
    return () => {
      stop();
      clearInterval(tick);
      clearTimeout(this.saying);
    };
  }

  /** Calls the app; what goes wrong is shown, and gives null. */
  async try<M extends Method>(method: M, params: Params<M>): Promise<Result<M> | null> {
    try {
      return await this.backend.call(method, params);
    } catch (error) {
      this.problem = reason(error);
      return null;
    }
  }

  /** Reads a list of the Mac that is chosen; null if it gives none, or if another one is chosen by then. */
  async read<M extends keyof typeof ELSEWHERE>(method: M, filter: Params<M>): Promise<Result<M> | null> {
    const { host } = this;
    if (this.here) return this.try(method, filter);
    const asked = { host, filter } as Params<(typeof ELSEWHERE)[M]>;
    const found = (await this.try(ELSEWHERE[method], asked)) as Result<M> | null;
    return host === this.host ? found : null;
  }

  /** The agents to choose from: this Mac's, or those that rows of another one name. */
  agentsAmong(named: string[]): { id: string; name: string }[] {
    if (this.here) return this.agents.map(({ id, name }) => ({ id, name }));
    const ids = named.filter((id, at) => id !== "" && named.indexOf(id) === at);
    return ids.map((id) => ({ id, name: id }));
  }

  /** Reads which Macs there are to choose from. */
  async readHosts() {
    // Where the fleet is broken, the integrations say so.
    const found = await this.backend.call("fleet.hosts", {}).catch(() => null);
    this.hosts = found?.hosts ?? [];
    this.groups = found?.groups ?? [];
    if (!this.hosts.some(({ id }) => id === this.host)) this.host = "";
  }

  /** Does something about updates; what goes wrong is shown. */
  async change(what: "checkUpdates" | "installUpdate" | "putOffUpdate") {
    try {
      await this.backend[what]();
    } catch (error) {
      this.problem = reason(error);
    }
  }

  /** Lets the person choose a folder; null if they choose none. */
  async chooseFolder(): Promise<string | null> {
    try {
      return await this.backend.chooseFolder();
    } catch (error) {
      this.problem = reason(error);
      return null;
    }
  }

  /** Copies a text, and says so. */
  async copy(text: string, said: string = words.activity.copied) {
    try {
      await navigator.clipboard.writeText(text);
      this.say(said);
    } catch (error) {
      this.problem = reason(error);
    }
  }

  /** Says what was done. */
  say(text: string, undo = false) {
    clearTimeout(this.saying);
    this.said = { text, undo };
    this.saying = setTimeout(() => (this.said = null), SAID);
  }

  agent(id: string): AgentRow | undefined {
    return this.agents.find((row) => row.id === id);
  }

  async readAgents() {
    const found = await this.try("agents.list", {});
    if (!found) return;
    this.agents = found.agents;
    // Who has no agent yet is shown around, once.
    if (!this.known && found.agents.length === 0 && ["inbox", "activity"].includes(this.page.kind))
      this.page = { kind: "welcome" };
    this.known = true;
    void this.readHooks();
  }

  private async readHooks() {
    const found = await this.backend.call("setup.find", {}).catch(() => null);
    const connected = found?.agents.filter(({ connection }) => connection === "connected") ?? [];
    this.hooked = connected.map(({ agent }) => agent);
  }

  /** Whether what an agent does would reach Postern now. */
  reaches(agent: AgentRow): boolean {
    return agent.connected || this.hooked.includes(agent.id);
  }

  private readAll() {
    void this.readStatus();
    void this.readAgents();
    void this.readQuestions();
    void this.readHosts();
    void this.readUpdates();
  }

  private async readUpdates() {
    this.update = await this.backend.updates();
  }

  private async readQuestions() {
    this.questions = (await this.try("questions.list", {}))?.questions ?? this.questions;
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
        this.doorsChanged += 1;
        this.readAll();
        break;
      case "question.opened":
      case "question.changed":
      case "question.closed":
        void this.readQuestions();
        void this.readStatus();
        break;
      case "status.changed":
      case "attention":
      case "policy.widened":
      case "tool_approval_required":
      case "tool_approval_resolved":
        this.doorsChanged += 1;
        void this.readStatus();
        break;
      case "agents.changed":
        this.doorsChanged += 1;
        void this.readAgents();
        break;
      case "rules.changed":
      case "skills.changed":
        this.rulesChanged += 1;
        void this.readAgents();
        break;
      case "updates.changed":
        void this.readUpdates();
        break;
      case "request.changed":
        this.requestsChanged += 1;
        break;
    }
  }
}

// What the first run knows and does: the agents that were found, what would change, and what was done.

import type {
  FoundAgent,
  Imported,
  KnownAgent,
  SettingsChange,
  SetupConnected,
  SetupTested,
} from "../../contract";
import { reason } from "../../parts/escaped";
import type { State } from "../state.svelte";

/** Whether its own settings connect it: the others need hands on their side, and are off at first. */
const connectsItself = ({ wiring }: FoundAgent) => wiring === "hook" || wiring === "mcp";

/** An agent as the first run shows it. */
export class Choice {
  /** Whether it is to be connected. */
  on = $state(false);
  change: SettingsChange | null = $state.raw(null);
  shown = $state(false);
  problem: string | null = $state(null);
  connected: SetupConnected | null = $state.raw(null);
  /** What an import of its rules would do, or did. */
  imported: Imported | null = $state.raw(null);
  /** Whether its rules are to be imported. */
  take = $state(true);

  constructor(readonly found: FoundAgent) {
    this.on = connectsItself(found) && found.connection !== "connected" && found.problem === null;
    this.problem = found.problem;
  }

  get kind(): KnownAgent {
    return this.found.kind;
  }

  /** The agent that it asks as, or would. */
  get agent(): string {
    return this.connected?.agent.id ?? this.found.agent;
  }

  get isConnected(): boolean {
    return this.connected !== null || this.found.connection === "connected";
  }

  /** The number of entries that an import takes over. */
  get importable(): number {
    const entries = this.imported?.files.flatMap((file) => file.entries) ?? [];
    return entries.filter((entry) => entry.taken !== "left-out").length;
  }
}

/** How long between two looks at a test, in milliseconds. */
const BETWEEN = 300;

export class Setup {
  choices: Choice[] = $state.raw([]);
  known = $state(false);
  busy = $state(false);
  look = $state(true);

  constructor(readonly app: State) {}

  /** Finds the agents that are here. */
  async find() {
    const found = await this.app.try("setup.find", {});
    if (!found) return;
    const here = found.agents.filter((agent) => agent.folder !== null || agent.program !== null);
    this.choices = here.map((agent) => new Choice(agent));
    // What connecting would change is there before anything is connected.
    await Promise.all(this.choices.filter((choice) => choice.problem === null).map((one) => this.plan(one)));
    this.known = true;
  }

  get connected(): Choice[] {
    return this.choices.filter((choice) => choice.isConnected);
  }

  /** The one whose own settings let it ask, or would, as this agent. */
  of(agent: string): Choice | undefined {
    return this.choices.find((choice) => connectsItself(choice.found) && choice.agent === agent);
  }

  /** Connects what is switched on. Gives whether all of it worked. */
  async connect(choices = this.choices): Promise<boolean> {
    this.busy = true;
    const wanted = choices.filter((choice) => choice.on && !choice.isConnected);
    for (const choice of wanted) await this.one(choice);
    await this.app.readAgents();
    this.busy = false;
    return wanted.every((choice) => choice.isConnected);
  }

  /** Takes back what connecting did. */
  async undo(choice: Choice) {
    choice.problem = null;
    try {
      const call = this.app.backend;
      const { digest } = await call.call("setup.preview", { kind: choice.kind, remove: true });
      await call.call("setup.disconnect", { kind: choice.kind, digest });
      const again = new Choice({ ...choice.found, connection: "none", enrolled: false });
      again.on = false;
      await this.plan(again);
      this.choices = this.choices.map((other) => (other === choice ? again : other));
    } catch (error) {
      choice.problem = reason(error);
    }
    await this.app.readAgents();
  }

  /** Looks at what importing the rules of connected agents would do. */
  async check(choices = this.connected) {
    for (const choice of choices.filter((one) => one.found.rules.length > 0 && !one.imported))
      choice.imported = await this.app.try("setup.import", {
        kind: choice.kind,
        agent: choice.agent,
        check: true,
      });
  }

  /** Imports the rules of an agent that is connected already; they stay when it is disconnected. */
  async import(choice: Choice) {
    this.busy = true;
    const asked = { kind: choice.kind, agent: choice.agent, keep: true };
    const done = await this.app.try("setup.import", asked);
    if (done) choice.imported = done;
    this.busy = false;
  }

  /** Lets the connected agents look around, if that is chosen, and imports what is switched on. */
  async apply(): Promise<boolean> {
    this.busy = true;
    let fine = true;
    for (const choice of this.connected) {
      const { agent } = choice;
      if (choice.take && choice.imported?.check && choice.importable > 0) {
        const done = await this.app.try("setup.import", { kind: choice.kind, agent });
        if (done) choice.imported = done;
        else fine = false;
      }
      const row = this.app.agent(agent);
      // What was there before keeps its settings.
      if (row && choice.connected?.enrolled) {
        const settings = { ...row.settings, look: this.look ? ("allow" as const) : ("ask" as const) };
        if (!(await this.app.try("agents.set", { agent, settings }))) fine = false;
      }
    }
    this.busy = false;
    return fine;
  }

  /** Tests an agent's way to Postern; says how it stands until it is over. */
  async test(choice: Choice, tell: (tested: SetupTested) => void, live: () => boolean) {
    const { agent } = choice;
    try {
      const test = await this.app.backend.call("setup.test", { kind: choice.kind, agent, asks: true });
      while (live()) {
        const tested = await this.app.backend.call("setup.tested", test);
        tell(tested);
        if (tested.state !== "waiting") return;
        await new Promise((done) => setTimeout(done, BETWEEN));
      }
    } catch (error) {
      tell({ state: "failed", message: reason(error) });
    }
  }

  private async plan(choice: Choice): Promise<boolean> {
    choice.problem = null;
    try {
      choice.change = await this.app.backend.call("setup.preview", { kind: choice.kind });
      return true;
    } catch (error) {
      choice.problem = reason(error);
      return false;
    }
  }

  private async one(choice: Choice) {
    try {
      choice.connected = await this.app.backend.call("setup.connect", {
        kind: choice.kind,
        digest: choice.change?.digest ?? "",
      });
    } catch (error) {
      const problem = reason(error);
      // The settings may be others now: what is shown is what would be done.
      await this.plan(choice);
      choice.problem ??= problem;
    }
  }
}

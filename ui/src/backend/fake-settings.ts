// The settings page's stand-in: lists in memory, changed as the app would change them.

import type {
  AgentIcon,
  AgentRow,
  HostSettings,
  Preferences,
  Presence,
  Preset,
  Settings,
  Start,
  Status,
  UpdateState,
} from "../contract";
import type { Method, News, Params, Result, SettingsBackend } from "./backend";
import { FakeApproval } from "./fake-approval";
import { FakeDoors } from "./fake-doors";
import { FakeFleet } from "./fake-fleet";
import { FakeHistory } from "./fake-history";
import { FakeMembers } from "./fake-members";
import { insights, noInsights } from "./fake-insights";
import { FakeRules } from "./fake-rules";
import { FakeSetup } from "./fake-setup";
import { FakeSkills } from "./fake-skills";
import { agent, agents, DAY, HOUR, lists, verdicts } from "./sample-lists";
import { waiting } from "./samples";

/** What the fake is filled with. */
interface Filling {
  /** Rules besides the samples. */
  rules?: number;
  /** Requests besides the samples. */
  history?: number;
  /**
   * `empty`: nobody is there yet; `containers`: nor then, but Docker is. `hostile`: every field is an attack. `quiet`: an agent, and nothing asked yet.
   * `fleet`: other Macs can be read; `fleet-broken`: its broker is gone. `fleet-signatures`: changes wait for signatures. `unconfined`: the system cannot confine local work. `answered`: nothing waits.
   */
  scene?: string;
}

type Handlers = { [M in Method]?: (params: Params<M>) => Result<M> };

export class FakeSettings implements SettingsBackend {
  private readonly now = Date.now();
  private agentRows: AgentRow[];
  private told: (what: News) => void = () => undefined;
  private login = false;
  private chosen: Preferences = {
    appearance: "system",
    sound: true,
    confirm: false,
    details: false,
    shortcut: "control-option-space",
    unrecorded: false,
    inboxOnly: false,
    checkUpdates: false,
  };
  /** How the computer would tell its owner. */
  means: Presence = "touch-id";
  /** What the system cannot confine. */
  confines: Pick<Status, "cannotConfine" | "cannotConfineProject"> = {};
  /** The state of updates; null as in a build without an updater. */
  updating: UpdateState | null = null;
  /** What needs the person. */
  attention: Status["attention"] = [];
  private readonly lists = lists(this.now);
  private host: HostSettings = this.lists["settings.get"];
  private oldest: number | null = this.now - 41 * DAY;
  private permissionsText = this.lists["permissions.get"].text;
  private paused: number | null = null;
  private readonly rules: FakeRules;
  private readonly history: FakeHistory;
  private readonly empty: boolean;
  private sessionClosed = false;
  private readonly doors: FakeDoors;
  private readonly skills: FakeSkills;
  /** What waits for the person. */
  readonly asking: FakeApproval;
  private readonly order: string[];
  private readonly setup: FakeSetup;
  private readonly fleet: FakeFleet;
  private readonly members: FakeMembers;
  /** What was saved as a file, by name. */
  readonly saved = new Map<string, string>();

  constructor({ rules = 0, history = 0, scene = "" }: Filling = {}) {
    const first = scene === "empty" || scene === "containers";
    this.empty = first || scene === "quiet";
    this.setup = new FakeSetup(scene === "containers");
    this.agentRows = first ? [] : agents(this.now);
    if (scene === "quiet") this.agentRows = [agent("builder", "builder", this.now)];
    if (scene === "unconfined")
      this.confines = { cannotConfineProject: "bubblewrap (bwrap) is not installed" };
    const hostile = scene === "hostile";
    const questions = this.empty || scene === "answered" ? [] : waiting(this.now, scene);
    this.order = questions.map(({ id }) => id);
    this.asking = new FakeApproval(questions, null, () => this.told("question.closed"));
    this.doors = new FakeDoors(this.now, this.empty);
    this.skills = new FakeSkills(this.empty, hostile);
    this.rules = new FakeRules(this.now, rules, hostile, this.empty, () => {
      this.count();
      this.told("rules.changed");
    });
    this.history = new FakeHistory(this.now, history, scene, () => this.told("request.changed"));
    this.members = new FakeMembers(this.now, scene);
    this.fleet = new FakeFleet(this.now, () => this.members.joined);
    this.count();
  }

  async call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    const handler = this.handlers[method] as ((params: Params<M>) => Result<M>) | undefined;
    if (!handler) throw new Error(`the fake has no ${method}`);
    return handler(params);
  }

  inbox() {
    return this.asking;
  }

  async open(page: string) {
    const other = location.pathname.endsWith("preferences.html") ? "settings.html" : "preferences.html";
    window.open(`${other}${location.search}#${page}`);
  }

  async openOutput(id: string) {
    const scene = new URLSearchParams(location.search).get("scene") ?? "";
    window.open(`output.html?scene=${scene}&request=${id}`);
  }

  async leaveInbox() {}

  async launchAtLogin() {
    return this.login;
  }

  async setLaunchAtLogin(on: boolean) {
    this.login = on;
  }

  /** What the person chooses in the system's dialog. */
  chosenFolder: string | null = "/Users/kim/skills";

  async chooseFolder() {
    return this.chosenFolder;
  }

  async save(name: string, text: string) {
    this.saved.set(name, text);
    return `~/Downloads/${name}`;
  }

  async preferences() {
    return this.chosen;
  }

  async setPreferences(preferences: Preferences) {
    this.chosen = preferences;
  }

  async command() {
    return "/Applications/Postern.app/Contents/MacOS/postern";
  }

  async presence() {
    return this.means;
  }

  async updates() {
    return this.updating;
  }

  async checkUpdates() {
    this.become({ state: "available", release: { version: "1.2.0", size: 42_000_000 } });
  }

  async installUpdate() {
    if (this.updating?.state !== "available") return;
    this.become({ ...this.updating, state: "waiting", questions: 1, commands: 2 });
  }

  async putOffUpdate() {
    if (this.updating?.state !== "waiting") return;
    this.become({ state: "available", release: this.updating.release });
  }

  /** Sets the state of updates, and says so. */
  become(updating: UpdateState) {
    this.updating = updating;
    this.told("updates.changed");
  }

  async finishFirstRun() {
    return undefined;
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
    "questions.list": () => {
      const at = ({ id }: { id: string }) => this.order.indexOf(id);
      return { questions: [...this.asking.waiting].sort((one, other) => at(one) - at(other)) };
    },
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
    explain: ({ agent, shell }) => {
      const verdict = agent === "builder" ? verdicts[shell ?? ""] : undefined;
      if (!verdict) throw `no verdict of ${agent} is recorded for this command`;
      return verdict;
    },
    "settings.get": () => this.host,
    "settings.set": (host) => (this.host = host),
    "data.use": () => this.dataUse(),
    "data.eraseHistory": () => {
      this.oldest = null;
      return this.dataUse();
    },
    "agents.list": () => ({ agents: this.agentRows }),
    "agents.add": ({ agent: id, name, start, folders }) => {
      const added = agent(id, name ?? id, this.now);
      const row = {
        ...added,
        settings: { ...added.settings, ...started(start ?? "ask"), folders: folders ?? [] },
      };
      this.agentRows = [...this.agentRows, row];
      this.told("agents.changed");
      return row;
    },
    "agents.set": ({ agent: id, settings, values }) => {
      this.agentRows = this.agentRows.map((row) => {
        if (row.id !== id) return row;
        const look = {
          color: values?.color ?? row.color,
          icon: (values?.icon as AgentIcon | undefined) ?? row.icon,
          deniedUntil: values?.deniedUntil === "10m" ? this.now + HOUR / 6 : null,
        };
        return settings ? { ...row, ...look, settings, preset: presetOf(settings) } : { ...row, ...look };
      });
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
      const own = (text: string) => text.replaceAll("/builder/", `/${id}/`);
      const plain = this.lists["agents.channel"];
      const text = kind === "plain" ? own(plain.text) : `${kind} … ${socket}`;
      return { ...plain, kind, text, socket, keyFile };
    },
    "agents.rotateKey": ({ agent: id }) => this.find(id),
    "agents.test": ({ agent: id }) => this.history.again(this.lists["agents.test"], { agent: id }),
    "doors.list": () => ({
      doors: this.doors.list(),
      // The last one only holds a session open.
      clients: this.empty ? [] : this.lists["doors.list"].clients.slice(0, 1),
      approvers: this.empty ? [] : [{ kind: "window", since: this.now - 3 * HOUR }],
    }),
    "doors.enable": (door) => this.doors.enable(door),
    "doors.disable": ({ door }) => this.doors.disable(door),
    "doors.setup": ({ door }) => this.doors.setup(door),
    "doors.revoke": ({ door, client }) => this.doors.revoke(door, client),
    "fleet.hosts": () => this.fleet.list(),
    "fleet.requests": ({ host, filter }) => this.fleet.requests(host, filter),
    "fleet.rules": ({ host }) => this.fleet.rules(host),
    "fleet.insights": ({ host, filter }) => this.fleet.insights(host, filter.days),
    "fleet.get": () => this.members.get(),
    "fleet.plan": (asked) => this.members.plan(asked),
    "fleet.start": () => this.members.start(),
    "fleet.invite": (asked) => this.members.invite(asked),
    "fleet.join": (asked) => this.members.join(asked),
    "fleet.pair": ({ digits }) => this.members.pair(digits),
    "fleet.change": (asked) => this.members.change(asked),
    "fleet.revoke": ({ member }) => this.members.revoke(member),
    "fleet.proposals": () => this.members.proposals(),
    "fleet.replay": () => this.members.replay(),
    "fleet.sign": ({ id }) => this.members.sign(id),
    "fleet.withdraw": ({ id }) => this.members.withdraw(id),
    "fleet.leave": () => this.members.leave(),
    "fleet.block": (asked) => this.members.block(asked),
    "setup.find": () => this.setup.find(),
    "setup.path": () => ({ folders: ["/opt/homebrew/bin", "/usr/bin", "/bin"], added: [] }),
    "setup.preview": (asked) => this.setup.preview(asked),
    "setup.connect": ({ kind }) => {
      const { id, title } = this.setup.connect(kind);
      const row = this.agentRows.find((one) => one.id === id) ?? agent(id, title, this.now);
      this.agentRows = [...this.agentRows.filter((one) => one !== row), row];
      this.told("agents.changed");
      const [lines, remains] = [this.setup.lines(kind), this.setup.remains(kind)];
      return { agent: row, enrolled: true, changed: true, lines, remains };
    },
    "setup.disconnect": ({ kind }) => {
      const removed = this.setup.disconnect(kind);
      this.agentRows = this.agentRows.filter((one) => one.id !== removed);
      this.told("agents.changed");
      return { changed: true, removed };
    },
    "setup.import": ({ check }) => this.setup.import(check ?? false),
    "setup.test": () => ({ session: "setup-1" }),
    "setup.tested": () => this.setup.tested(),
    "skills.list": () => this.skills.list(),
    "skills.addFolder": ({ folder }) => this.skills.add(folder),
    "skills.removeFolder": ({ folder }) => this.skills.remove(folder),
    "skills.approve": ({ skill, cli }) => this.skills.approve(skill, cli),
    "sessions.list": ({ agent: id }) => {
      const open = this.empty || this.sessionClosed ? [] : this.lists["sessions.list"].sessions;
      return { sessions: open.filter((one) => one.agent === id) };
    },
    "sessions.close": () => {
      this.sessionClosed = true;
      return { denied: 1 };
    },
    "rules.list": ({ agent: id, own, skip, limit }) => ({
      rules: this.rules.list(id, own).slice(skip ?? 0, (skip ?? 0) + (limit ?? Infinity)),
    }),
    "rules.add": (draft) => this.rules.add(draft),
    "rules.update": ({ id, rule }) => this.rules.update(id, rule),
    "rules.put": (change) => ({ rules: this.rules.put(change) }),
    "rules.preview": (draft) => this.rules.preview(draft),
    "rules.export": ({ agent: id }) => this.rules.export(id),
    "rules.import": ({ file, agent: id, write }) => this.rules.import(file, id, write === "add"),
    "permissions.get": ({ agent: id }) => this.permissions(id),
    "permissions.set": ({ agent: id, text }) => {
      const at = text.indexOf("oops");
      if (at >= 0) throw new Error(`line 1, column ${at + 1}: expected a value`);
      this.permissionsText = text;
      return this.permissions(id);
    },
    "policy.replay": ({ agent: id, settings }) => this.history.replay(id, decisionOf(settings?.security)),
    "requests.list": (filter) => this.history.page(filter),
    "requests.findOutput": (search) => this.history.findOutput(search),
    "requests.get": ({ id, secrets }) => this.history.get(id, secrets),
    "requests.kill": ({ id }) => this.history.kill(id),
    "requests.again": ({ id }) => this.history.again(this.history.find(id)),
    "requests.offers": ({ id }) => this.history.offers(id),
    "insights.get": ({ days, effect }) =>
      this.empty ? noInsights(this.now, days) : insights(this.now, days, this.rules.all(), effect),
    "insights.suggest": () => (this.empty ? { asked: 0, suggestions: [] } : this.lists["insights.suggest"]),
  };

  private dataUse() {
    const use = this.lists["data.use"];
    return { ...use, bytes: this.oldest ? use.bytes : 410_000, oldest: this.oldest };
  }

  private permissions(id: string) {
    const own = (path: string) => path.replace("/builder/", `/${id}/`);
    const kept = this.lists["permissions.get"];
    return { ...kept, agent: id, path: own(kept.path), text: this.permissionsText };
  }

  private find(id: string): AgentRow {
    return this.agentRows.find((row) => row.id === id) ?? raise();
  }

  private count() {
    this.agentRows = this.agentRows.map((row) => ({
      ...row,
      allowRules: this.rules.count(row.id, "allow"),
      denyRules: this.rules.count(row.id, "deny"),
    }));
  }

  private status(): Status {
    const { mode } = this.lists.status;
    return {
      ...this.lists.status,
      mode: this.paused === null ? mode : "paused",
      pausedUntil: this.paused,
      ...this.confines,
      attention: this.attention,
      faces: ["window"],
      waiting: this.asking.waiting.length,
      startedAt: this.now - 3 * HOUR,
    };
  }
}

const decisionOf = (security: unknown) =>
  security === "full" ? "allow" : security === "deny" ? "deny" : "ask";

/** The classes of a new agent, as the host sets them. */
function started(start: Start): Partial<Settings> {
  return {
    look: start === "ask" ? "ask" : "allow",
    files: start === "work" ? "allow" : "ask",
    build: start === "work" ? "allow" : "ask",
    loopback: start === "work",
  };
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

import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent, { PointerEventsCheckLevel } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { AgentRow, Rule, Status } from "../contract";
import { FakeSettings } from "../backend/fake-settings";
import { lists, rules } from "../backend/sample-lists";
import { byProgram, draftOf, found, keepsPin, linesOf, nextSort, ofTab, sorted } from "./rules/list";
import RuleLine from "./rules/RuleLine.svelte";
import { fixOf, narrowed, remarksOf, untidy } from "./rules/remarks";
import Root from "./Root.svelte";
import SettingsWindow from "./SettingsWindow.svelte";
import { addressOf, pageOf, type Page } from "./page";
import { stated } from "./stated";
import { ago } from "../parts/ago";
import { took } from "./time";
import { words } from "./words";

/** Some time, for what says times. */
const NOON = Date.UTC(2026, 2, 2, 12);

async function open(agent?: string, backend = new FakeSettings()) {
  const call = vi.spyOn(backend, "call");
  render(Root, { backend });
  const user = userEvent.setup({ pointerEventsCheck: PointerEventsCheckLevel.Never });
  if (agent) await user.click(await screen.findByRole("button", { name: new RegExp(`^${agent}`) }));
  return { user, call, backend };
}

/** Opens a part of an agent's page. */
async function openPart(part: string) {
  const opened = await open("builder");
  const parts = within(screen.getByRole("radiogroup", { name: "Parts of this page" }));
  await opened.user.click(parts.getByRole("radio", { name: part }));
  return opened;
}

describe("an agent's page", () => {
  it("sets a preset as security and ask", async () => {
    const { user, call } = await open("builder");
    await user.click(
      within(screen.getByRole("radiogroup", { name: "What it may run" })).getByRole("radio", {
        name: "Deny",
      }),
    );
    const settings = expect.objectContaining({ security: "deny", ask: "off", allowSkills: true });
    expect(call).toHaveBeenCalledWith("agents.set", { agent: "builder", settings });
  });

  it("shows in red what opens everything", async () => {
    const { user } = await openPart("Advanced");
    const group = screen.getByRole("radiogroup", { name: "May run" });
    expect(group.parentElement).not.toHaveClass("alarm");
    await user.click(within(group).getByRole("radio", { name: "Everything" }));
    await user.click(screen.getByRole("button", { name: "Allow Everything" }));
    await waitFor(() => expect(group.parentElement).toHaveClass("alarm"));
  });

  it("lets everything run only once that is confirmed", async () => {
    const { user, call } = await open("builder");
    const presets = within(screen.getByRole("radiogroup", { name: "What it may run" }));
    await user.click(presets.getByRole("radio", { name: "Allow" }));
    expect(call).not.toHaveBeenCalledWith("agents.set", expect.anything());
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    expect(presets.getByRole("radio", { name: "Ask" })).toBeChecked();
    await user.click(presets.getByRole("radio", { name: "Allow" }));
    await user.click(screen.getByRole("button", { name: "Allow Everything" }));
    const settings = expect.objectContaining({ security: "full", ask: "off" });
    expect(call).toHaveBeenCalledWith("agents.set", { agent: "builder", settings });
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("has a color that tells it from the others", async () => {
    const { user, call } = await open("builder");
    const colors = within(screen.getByRole("radiogroup", { name: "Color" }));
    await user.click(colors.getByRole("radio", { name: "Purple" }));
    expect(call).toHaveBeenCalledWith("agents.set", { agent: "builder", values: { color: "#a855f7" } });
    expect(await colors.findByRole("radio", { name: "Purple" })).toBeChecked();
  });

  it("has an icon instead of its letter", async () => {
    const { user, call } = await open("builder");
    const icons = within(screen.getByRole("radiogroup", { name: "Icon" }));
    await user.click(icons.getByRole("radio", { name: "Rocket" }));
    expect(call).toHaveBeenCalledWith("agents.set", { agent: "builder", values: { icon: "rocket" } });
    expect(await icons.findByRole("radio", { name: "Rocket" })).toBeChecked();
  });

  it("says what an organisation decides, and lets nobody try to change it", async () => {
    await open("release");
    expect(await screen.findByTestId("locked")).toHaveTextContent("what it may run · when you are asked");
    const presets = within(screen.getByRole("radiogroup", { name: "What it may run" }));
    for (const preset of presets.getAllByRole("radio")) expect(preset).toBeDisabled();
    expect(screen.getByRole("textbox", { name: /^Folders/ })).toBeEnabled();
  });

  it("lets questions wait while nobody is connected", async () => {
    const { user, call } = await openPart("Advanced");
    const choice = within(screen.getByRole("radiogroup", { name: "While no one is connected" }));
    await user.click(choice.getByRole("radio", { name: "Wait" }));
    const settings = expect.objectContaining({ unattended: "wait" });
    expect(call).toHaveBeenCalledWith("agents.set", { agent: "builder", settings });
  });

  it("asks twice before nobody's answer means yes, then shows it in red", async () => {
    const { user, call } = await openPart("Advanced");
    await user.click(screen.getByRole("radio", { name: "Allow everything" }));
    await user.click(screen.getByRole("button", { name: "Set" }));
    expect(call).not.toHaveBeenCalledWith("agents.set", expect.anything());
    await user.click(screen.getByRole("button", { name: "Set" }));
    const settings = expect.objectContaining({ fallback: "full" });
    expect(call).toHaveBeenCalledWith("agents.set", { agent: "builder", settings });
    expect(await screen.findByText("If no one answers, everything is allowed.")).toBeVisible();
  });

  it("shows how to connect a new agent", async () => {
    const { user } = await open();
    await user.click(screen.getByRole("button", { name: "Add Agent…" }));
    await user.type(screen.getByRole("textbox", { name: "Name" }), "fresh");
    await user.click(screen.getByRole("button", { name: "Add Agent" }));
    expect(await screen.findByTestId("enrolment")).toHaveTextContent("agents/fresh/agent.sock");
  });

  it("takes any name of a new agent, and makes the id from it", async () => {
    const { user, call } = await open();
    await user.click(screen.getByRole("button", { name: "Add Agent…" }));
    const add = screen.getByRole("button", { name: "Add Agent" });
    expect(add).toBeDisabled();
    await user.type(screen.getByRole("textbox", { name: "Name" }), "../My evil");
    await user.click(add);
    expect(call).toHaveBeenCalledWith("agents.add", {
      agent: "my-evil",
      name: "../My evil",
      start: "ask",
      folders: [],
    });
  });
});

describe("what an agent may do without asking", () => {
  const row = (name: string) => within(screen.getByRole("radiogroup", { name }));
  const allow = (name: string) => row(name).getByRole("radio", { name: "Allow" });
  const titles = Object.values(words.classes.rows).map(({ title }) => title);

  it("sets each class, with a row of its own that says what it is", async () => {
    const { user, call } = await open("builder");
    for (const [name, { title, hint }] of Object.entries(words.classes.rows)) {
      expect(screen.getByRole("radiogroup", { name: title })).toHaveAccessibleDescription(hint);
      await user.click(row(title).getByRole("radio", { name: "Deny" }));
      const settings = expect.objectContaining({ [name]: "deny" });
      expect(call).toHaveBeenCalledWith("agents.set", { agent: "builder", settings });
    }
  });

  it("shows local servers where code of the project is allowed", async () => {
    const { user, call } = await open("builder");
    expect(screen.queryByRole("switch", { name: /Local servers/ })).toBeNull();
    await user.click(allow("Run project code"));
    await user.click(await screen.findByRole("switch", { name: /Local servers/ }));
    const settings = expect.objectContaining({ build: "allow", loopback: true });
    expect(call).toHaveBeenCalledWith("agents.set", { agent: "builder", settings });
  });

  it("allows no more than looking around where no folder is named, and says why", async () => {
    const { user, call } = await open("builder");
    await user.click(allow("Change its files"));
    const folders = screen.getByRole("textbox", { name: /^Folders/ });
    await user.clear(folders);
    await user.tab();
    const settings = expect.objectContaining({ folders: [], files: "ask" });
    expect(call).toHaveBeenCalledWith("agents.set", { agent: "builder", settings });
    expect(await screen.findByText(/Choose its folders first/)).toBeVisible();
    for (const title of titles) {
      if (title === "Look around") expect(allow(title)).toBeEnabled();
      else expect(allow(title)).toBeDisabled();
      expect(row(title).getByRole("radio", { name: "Deny" })).toBeEnabled();
    }
    expect(screen.getByRole("radiogroup", { name: "Share" })).toHaveAccessibleDescription(
      /Choose its folders first/,
    );
  });

  it("shows classes only where rules decide, and folders always", async () => {
    const { user } = await open("builder");
    await user.click(
      within(screen.getByRole("radiogroup", { name: "What it may run" })).getByRole("radio", {
        name: "Allow",
      }),
    );
    await user.click(screen.getByRole("button", { name: "Allow Everything" }));
    await waitFor(() => expect(screen.queryByRole("radiogroup", { name: "Look around" })).toBeNull());
    expect(screen.getByRole("textbox", { name: /^Folders/ })).toBeVisible();
  });

  it("lets nobody change a class that an organisation decides", async () => {
    const backend = new FakeSettings();
    const { call } = backend;
    vi.spyOn(backend, "call").mockImplementation(async (method, params) => {
      const found = await call.call(backend, method, params);
      if (method !== "agents.list") return found as never;
      const { agents } = found as { agents: AgentRow[] };
      return { agents: agents.map((one) => ({ ...one, locked: ["share", "folders"] })) } as never;
    });
    const user = userEvent.setup({ pointerEventsCheck: PointerEventsCheckLevel.Never });
    render(Root, { backend });
    await user.click(await screen.findByRole("button", { name: /^builder/ }));
    for (const radio of row("Share").getAllByRole("radio")) expect(radio).toBeDisabled();
    expect(screen.getByRole("textbox", { name: /^Folders/ })).toBeDisabled();
    expect(allow("Install software")).toBeEnabled();
    expect(screen.getByTestId("locked")).toHaveTextContent("sharing · folders");
  });

  it("says so where the system cannot confine", async () => {
    const backend = new FakeSettings();
    backend.confines = { cannotConfineProject: "bubblewrap is not installed" };
    await open("builder", backend);
    expect(await screen.findByText(/bubblewrap is not installed/)).toBeVisible();
  });
});

describe("a new agent", () => {
  async function adding(backend = new FakeSettings()) {
    const opened = await open(undefined, backend);
    await opened.user.click(screen.getByRole("button", { name: "Add Agent…" }));
    await opened.user.type(screen.getByRole("textbox", { name: "Name" }), "fresh");
    return { ...opened, add: screen.getByRole("button", { name: "Add Agent" }) };
  }

  it.each([
    ["Ask about everything", "ask"],
    ["Let it look around", "look"],
  ])("starts with %s", async (name, start) => {
    const { user, call, add } = await adding();
    await user.click(screen.getByRole("radio", { name }));
    await user.click(add);
    expect(call).toHaveBeenCalledWith("agents.add", { agent: "fresh", name: "fresh", start, folders: [] });
  });

  it("works only in folders that are named", async () => {
    const { user, call, add } = await adding();
    await user.click(screen.getByRole("radio", { name: /work in its folders/ }));
    expect(add).toBeDisabled();
    const folders = screen.getByRole("textbox", { name: "Its folders" });
    await user.type(folders, "site");
    expect(folders).toBeInvalid();
    expect(add).toBeDisabled();
    await user.clear(folders);
    await user.type(folders, "~/site{Enter}/srv/docs{Enter}");
    await user.click(add);
    const added = { agent: "fresh", name: "fresh", start: "work", folders: ["~/site", "/srv/docs"] };
    expect(call).toHaveBeenCalledWith("agents.add", added);
  });

  it("is not offered what the system cannot confine", async () => {
    const backend = new FakeSettings();
    backend.confines = { cannotConfineProject: "bubblewrap is not installed" };
    await adding(backend);
    const work = screen.getByRole("radio", { name: /work in its folders/ });
    expect(work).toBeDisabled();
    expect(work).toHaveAccessibleDescription(/can’t confine it: bubblewrap is not installed/);
    expect(screen.getByRole("radio", { name: "Let it look around" })).toBeEnabled();
  });
});

describe("what else belongs to an agent", () => {
  it("says what another choice would have made of the last week", async () => {
    const { call } = await open("builder");
    await waitFor(() =>
      expect(screen.getByTestId("simulated")).toHaveTextContent(
        /^In the last 7 days, Deny would have denied \d+ more, Allow would have run \d+ more\.$/,
      ),
    );
    const settings = { security: "full", ask: "off" };
    expect(call).toHaveBeenCalledWith(
      "policy.replay",
      expect.objectContaining({ agent: "builder", settings }),
    );
  });

  it("an agent whose hook leads here is connected, also while it asks nothing", async () => {
    const { backend, user } = await open("builder");
    await backend.call("setup.connect", { kind: "codex" } as never);
    await user.click(await screen.findByRole("button", { name: /^Codex ?, connected/ }));
    expect(await screen.findByText("connected by its hook")).toBeVisible();
  });

  it("sets folders one a line, and nothing where nothing changed", async () => {
    const { user, call } = await open("builder");
    const folders = screen.getByRole("textbox", { name: /^Folders/ });
    await user.clear(folders);
    await user.type(folders, "~/Projects{Enter}  /srv/site  {Enter}");
    await user.tab();
    const settings = expect.objectContaining({ folders: ["~/Projects", "/srv/site"] });
    expect(call).toHaveBeenCalledWith("agents.set", { agent: "builder", settings });
  });

  it("saves permissions.jsonc, keeps what was refused and says where it is wrong", async () => {
    const { user, call } = await openPart("Rules");
    await user.click(screen.getByText("permissions.jsonc"));
    const area = screen.getByRole("textbox", { name: "permissions.jsonc" });
    await waitFor(() => expect((area as HTMLTextAreaElement).value).toContain('"shell_exec": "ask"'));
    await user.clear(area);
    await user.type(area, "oops");
    await user.click(screen.getByRole("button", { name: "Save File" }));
    expect(await screen.findByText("Not saved: line 1, column 1: expected a value")).toBeVisible();
    expect(area).toHaveValue("oops");
    await user.clear(area);
    await user.type(area, "{{}");
    await user.click(screen.getByRole("button", { name: "Save File" }));
    expect(call).toHaveBeenLastCalledWith("permissions.set", { agent: "builder", text: "{}" });
    expect(screen.queryByText(/^Not saved/)).toBeNull();
  });
});

describe("the allowlist editor", () => {
  it("adds a rule", async () => {
    const { user, call } = await openPart("Rules");
    await user.click(screen.getByRole("button", { name: "Add Rule…" }));
    const editor = within(await screen.findByTestId("rule-editor"));
    await user.type(editor.getByRole("textbox", { name: "Pattern" }), "npm test *");
    await user.click(editor.getByRole("button", { name: "Save" }));
    const draft = expect.objectContaining({ effect: "allow", agent: "builder", text: "npm test *" });
    expect(call).toHaveBeenCalledWith("rules.add", draft);
    expect(await screen.findByText("Added npm test *")).toBeVisible();
  });

  it("confines what a rule allows", async () => {
    const { user, call } = await openPart("Rules");
    await user.click(screen.getByRole("button", { name: "Add Rule…" }));
    const editor = within(await screen.findByTestId("rule-editor"));
    await user.type(editor.getByRole("textbox", { name: "Pattern" }), "make *");
    const how = editor.getByRole("combobox", { name: "How" });
    expect(how).toHaveAccessibleDescription("It can do everything that you can.");
    await user.selectOptions(how, "Confined to the agent’s folders");
    expect(how).toHaveAccessibleDescription(/writes only in the agent’s folders/);
    await user.click(editor.getByRole("button", { name: "Save" }));
    const draft = expect.objectContaining({ text: "make *", confine: "project" });
    expect(call).toHaveBeenCalledWith("rules.add", draft);
  });

  it("says what is wrong with a rule while it is typed, beside the field, and keeps the editor open", async () => {
    const { user } = await openPart("Rules");
    await user.click(screen.getByRole("button", { name: "Add Rule…" }));
    const editor = within(await screen.findByTestId("rule-editor"));
    const field = editor.getByRole("textbox", { name: "Pattern" });
    await user.type(field, "*");
    await waitFor(() => expect(field).toHaveAccessibleDescription(/would match every program/));
    expect(field).toBeInvalid();
    await user.click(editor.getByRole("button", { name: "Save" }));
    expect(editor.getByRole("textbox", { name: "Pattern" })).toHaveValue("*");
    await user.clear(field);
    await user.type(field, "git fetch *");
    await waitFor(() => expect(field).toHaveAccessibleDescription(/Would match 3 of the last 7 requests/));
    expect(field).toBeValid();
  });
});

describe("rules between list and editor", () => {
  const rows = rules(Date.now());

  it("marks a rule that confines", () => {
    const [row] = rows;
    if (!row) throw new Error("no sample");
    const does = { click: vi.fn(), open: vi.fn(), remove: vi.fn(), fix: vi.fn(), named: () => undefined };
    const line = { index: 0, now: Date.now(), selected: false, current: false, ...does };
    const shown = (rule: Rule) => render(RuleLine, { row: { ...row, rule }, ...line }).container.textContent;
    expect(shown(row.rule)).not.toContain("confined");
    expect(shown({ ...row.rule, confine: "look" })).toContain("confined");
  });

  it("keeps how and where a rule runs when it is edited", () => {
    const [row] = rows;
    if (!row) throw new Error("no sample");
    const rule = { ...row.rule, confine: "project", origin: "agent-shell" } as const;
    expect(draftOf(rule, row.text)).toMatchObject({ confine: "project", origin: "agent-shell" });
  });

  const texts = (of: typeof rows) => of.map((row) => row.text);

  it.each([
    ["allowed", 9],
    ["denied", 2],
    ["everyone", 4],
  ] as const)("the tab %s has its own", (tab, many) => {
    expect(ofTab(rows, tab, "builder")).toHaveLength(many);
    expect(ofTab(rows, tab, "research").filter((row) => row.rule.agent === "builder")).toEqual([]);
  });

  it("a search looks at pattern, last command, last path, why and remarks, for every word", () => {
    const of = (search: string) => texts(found(ofTab(rows, "allowed", "builder"), search));
    expect(of("TODO")).toEqual(["/opt/homebrew/bin/rg"]);
    expect(of("XCODE app test")).toEqual(["/opt/homebrew/bin/xcodebuild"]);
    expect(of("bin/deploy")).toEqual(["~/.local/bin/**"]);
    expect(of("too broad")).toEqual(["~/.local/bin/**"]);
    expect(of("before allowed")).toEqual(["git push origin *"]);
  });

  it("has the rules about one program together, and those about files last", () => {
    const programs = texts(byProgram(rows)).map((text) => text.split(" ")[0]?.split("/").at(-1));
    expect(programs.filter((name, at) => name === "git" && programs[at - 1] !== "git")).toHaveLength(1);
    expect(texts(byProgram(rows)).sort()).toEqual(texts(rows).sort());
  });

  it("has a head for each program, unless a column sorts them", () => {
    const lines = linesOf(byProgram(rows), true);
    const heads = lines.flatMap((line) => ("head" in line ? [line.head] : []));
    expect(heads.slice(0, 3)).toEqual(["Everything", "Whole folders", "bird"]);
    expect(new Set(heads).size, "none stands twice").toBe(heads.length);
    expect(lines.filter((line) => "row" in line)).toHaveLength(rows.length);
    expect(linesOf(rows, false).every((line) => "row" in line)).toBe(true);
    const [row] = rows;
    if (!row) throw new Error("no sample");
    const hostile = {
      ...row,
      text: "a\u202eb",
      shown: [
        { text: "a", kind: "plain" as const },
        { text: "U+202E", kind: "escaped" as const },
      ],
    };
    const [head] = linesOf([hostile], true);
    expect(head && "head" in head && head.head).not.toContain("\u202e");
  });

  it("sorts by what a column shows, and a third click leaves the order as it came", () => {
    expect(texts(sorted(rows, { by: "uses", down: true }))[0]).toBe("/opt/homebrew/bin/rg");
    expect(texts(sorted(rows, { by: "pattern", down: false })).at(-1)).toBe("rm -rf *");
    expect(sorted(rows, null)).toBe(rows);
    const clicks = [nextSort(null, "uses")];
    clicks.push(nextSort(clicks[0] ?? null, "uses"));
    clicks.push(nextSort(clicks[1] ?? null, "uses"));
    expect(clicks).toEqual([{ by: "uses", down: true }, { by: "uses", down: false }, null]);
    expect(nextSort({ by: "uses", down: true }, "from")).toEqual({ by: "from", down: false });
  });

  it("editing a rule keeps what the editor does not show, and its pin where the program is the same", () => {
    const row = rows[0];
    const push = rows[1];
    if (!row || !push) throw new Error("no sample");
    row.rule.matches = ["rg x"];
    const draft = draftOf(row.rule, row.text);
    expect(draft).toMatchObject({ text: row.text, matches: ["rg x"], pin: true, kind: "path" });
    expect(keepsPin(row, draft)).toBe(true);
    expect(keepsPin(row, { ...draft, text: "/usr/bin/env" })).toBe(false);
    const pinned = { ...push, rule: { ...push.rule, pin: row.rule.pin } };
    const command = draftOf(pinned.rule, push.text);
    expect(keepsPin(pinned, { ...command, text: "git push origin *" })).toBe(true);
    expect(keepsPin(pinned, { ...command, text: "hg push *" })).toBe(false);
    expect(keepsPin(pinned, { ...command, pin: false })).toBe(false);
  });

  it("every remark that is known has its fix, and what may go is each rule once", () => {
    const own = rows.filter((row) => row.rule.source.kind !== "skill");
    const kinds = own.flatMap((row) => remarksOf(row).map((remark) => remark.kind));
    expect(kinds).toEqual(["too-broad", "changed", "covered", "unused"]);
    expect(kinds.map((kind) => kind && fixOf(kind))).toEqual(["narrow", "repin", "remove", "remove"]);
    const broad = rows.find((row) => row.text === "~/.local/bin/**");
    if (!broad) throw new Error("no sample");
    broad.rule.usage.lastPath = "/Users/kim/.local/bin/deploy";
    expect(narrowed(broad)).toMatchObject({ text: "/Users/kim/.local/bin/deploy", kind: "path", pin: true });
    const remarks = (["covered", "unused"] as const).map((kind) => ({ kind, text: kind }));
    const both = { ...rows[2], remarks } as (typeof rows)[0];
    expect(untidy([both, ...own]).map(({ kind, rows: of }) => [kind, of.length])).toEqual([
      ["covered", 2],
      ["unused", 1],
    ]);
  });
});

describe("blocking all agents", () => {
  it("lasts an hour, and says until when", async () => {
    const { user, call } = await open();
    const state = await screen.findByTestId("state");
    await waitFor(() => expect(state).toHaveTextContent("Guarding 3 agents"));
    await user.click(await screen.findByRole("button", { name: "Block All Agents" }));
    await user.click(screen.getByRole("menuitem", { name: "Block All Agents for 1 Hour" }));
    expect(call).toHaveBeenCalledWith("pause", { forMs: 3_600_000 });
    await waitFor(() => expect(state).toHaveTextContent(/All agents blocked until .*\d:\d\d/));
    await user.click(screen.getByRole("button", { name: "Unblock All Agents" }));
    expect(call).toHaveBeenCalledWith("resume", {});
  });

  it("lasts until they are unblocked", async () => {
    const { user, call } = await open();
    await user.click(await screen.findByRole("button", { name: "Block All Agents" }));
    await user.click(screen.getByRole("menuitem", { name: "Block All Agents Until I Unblock" }));
    expect(call).toHaveBeenCalledWith("pause", { forMs: null });
  });

  it("says each state in words", () => {
    const status = {
      ...lists(NOON)["status"],
      mode: "listening",
      attention: [],
      faces: ["window"],
    } as Status;
    const say = (change: Partial<Status>, agents = 4, lost = false) =>
      stated({ ...status, ...change }, agents, lost, NOON);
    expect(say({})).toEqual({ mark: "ok", text: "Guarding 4 agents" });
    expect(say({}, 1).text).toBe("Guarding 1 agent");
    expect(say({}, 0).text).toBe("No agents yet");
    expect(say({ mode: "paused", pausedUntil: null })).toEqual({
      mark: "blocked",
      text: "All agents blocked",
    });
    expect(say({ mode: "deny-all" }).text).toBe("History is damaged. All requests are denied.");
    expect(say({ faces: [] })).toEqual({
      mark: "alert",
      text: "Can’t show questions. Requests are being denied.",
    });
    expect(say({}, 4, true)).toEqual({ mark: "lost", text: "Postern has stopped" });
  });
});

it("says that the host has stopped, and reads everything again when it is back", async () => {
  const { call, backend } = await open();
  expect(await screen.findByText("Guarding 3 agents")).toBeVisible();
  backend.tell("host.lost");
  expect(await screen.findByText("Postern has stopped")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Block All Agents" })).toBeNull();
  call.mockClear();
  backend.tell("host.back");
  expect(await screen.findByRole("button", { name: "Block All Agents" })).toBeVisible();
  expect(call).toHaveBeenCalledWith("status", {});
});

it("opens at the page that its address names", () => {
  const settings = (tab: string) => ({ kind: "settings", tab });
  const pages = {
    "": { kind: "inbox" },
    "#activity": { kind: "activity" },
    "#rules": { kind: "rules" },
    "#insights": { kind: "insights" },
    "#doors": settings("doors"),
    "#settings": settings("general"),
    "#privacy": settings("privacy"),
    "#request.0199a1c0": { kind: "activity", request: "0199a1c0" },
    "#builder": { kind: "agent", id: "builder" },
    "#builder/rules": { kind: "agent", id: "builder", tab: "rules" },
  };
  for (const [address, page] of Object.entries(pages)) expect(pageOf(address)).toEqual(page);
  for (const page of [settings("doors"), pages["#insights"], pages["#builder"], pages["#builder/rules"]])
    expect(pageOf(`#${addressOf(page as Page)}`)).toEqual(page);
});

describe("the keys of the window", () => {
  it.each([
    ["1", "Inbox"],
    ["2", "Activity"],
    ["3", "Rules"],
    ["n", "Add Agent"],
  ])("Ctrl %s opens %s", async (key, title) => {
    const { user } = await open();
    await screen.findByTestId("state");
    await user.keyboard(`{Control>}${key}{/Control}`);
    expect(await screen.findByRole("heading", { level: 1, name: title })).toBeVisible();
  });

  it("Ctrl , opens the settings in their own window", async () => {
    const { user, backend } = await open();
    const opened = vi.spyOn(backend, "open").mockResolvedValue();
    await user.keyboard("{Control>},{/Control}");
    expect(opened).toHaveBeenCalledWith("general");
  });
});

describe("the one search", () => {
  async function type(text: string) {
    const opened = await open();
    await screen.findByRole("button", { name: /^builder/ });
    await opened.user.keyboard("{Control>}k{/Control}");
    const field = screen.getByRole("combobox", { name: /^Search agents/ });
    expect(field).toHaveFocus();
    await opened.user.type(field, text);
    return { ...opened, field };
  }

  it("finds an agent, a setting, a rule and a request, and opens them with Return", async () => {
    const { user, field } = await type("resea");
    expect((await screen.findAllByRole("option", { name: /research/ }))[0]).toHaveAttribute(
      "aria-selected",
      "true",
    );
    await user.clear(field);
    await user.type(field, "history");
    expect(screen.getByRole("option", { name: /Keep the history/ })).toBeVisible();
    await user.clear(field);
    await user.type(field, "osascript");
    expect(await screen.findByRole("option", { name: /\/opt\/homebrew\/bin\/osascript/ })).toBeVisible();
    await screen.findByRole("option", { name: /osascript -e/ });
    await user.keyboard("{ArrowUp}{Enter}");
    expect(await screen.findByRole("complementary", { name: "Request" })).toHaveTextContent("osascript -e");
    expect(field).toHaveValue("");
  });

  it("says when it finds nothing, and esc leaves it", async () => {
    const { user, field } = await type("no such thing at all");
    expect(await screen.findByText("No results")).toBeVisible();
    await user.keyboard("{Escape}");
    expect(screen.queryByText("No results")).toBeNull();
    expect(field).toHaveValue("");
  });
});

it("says times as people do", () => {
  const now = 1_000_000_000_000;
  const said = [0, 59_000, 61_000, 3_600_000, 26 * 3_600_000, 72 * 3_600_000].map((gone) =>
    ago(now - gone, now),
  );
  expect(said).toEqual(["just now", "just now", "1 min ago", "1 h ago", "yesterday", "3 days ago"]);
  expect(ago(null, now)).toBe("never");
  expect([took(null), took(41), took(1_500), took(300_000)]).toEqual(["–", "41 ms", "1.5 s", "5 min"]);
});

describe("the owner's confirmation", () => {
  const name = /Require Touch ID/;
  const questions = async (user: ReturnType<typeof userEvent.setup>) => {
    await user.click(screen.getByRole("radio", { name: "Questions" }));
  };
  const open = async () => {
    const backend = new FakeSettings();
    render(SettingsWindow, { backend });
    return { backend, user: userEvent.setup({ pointerEventsCheck: PointerEventsCheckLevel.Never }) };
  };

  it("is chosen, and says by what", async () => {
    const { user, backend } = await open();
    await questions(user);
    const confirm = await screen.findByRole("switch", { name });
    expect(confirm).toHaveAccessibleDescription(/Touch ID/);
    await user.click(confirm);
    expect(await backend.preferences()).toMatchObject({ confirm: true, sound: true });
    expect(screen.queryByRole("switch", { name: /recordings/ }), "there is no such thing here").toBeNull();
  });

  it("cannot be turned on where the computer cannot tell its owner, and says so", async () => {
    const { user, backend } = await open();
    backend.means = "none";
    await questions(user);
    const confirm = await screen.findByRole("switch", { name });
    expect(confirm).toBeDisabled();
    expect(confirm).toHaveAccessibleDescription(/neither/);
  });

  it("stays on where the owner did not confirm to turn it off", async () => {
    const { user, backend } = await open();
    await backend.setPreferences({ ...(await backend.preferences()), confirm: true });
    vi.spyOn(backend, "setPreferences").mockRejectedValue("it was not confirmed");
    await questions(user);
    const confirm = await screen.findByRole("switch", { name });
    await user.click(confirm);
    await waitFor(() => expect(confirm).toBeChecked());
    expect(screen.getByText(/it was not confirmed/)).toBeVisible();
  });
});

// The one search finds every setting, and leads to it.

import { cleanup, render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent, { PointerEventsCheckLevel, type UserEvent } from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { FakeSettings } from "../backend/fake-settings";
import { lists } from "../backend/sample-lists";
import { agentChoices, allChoices, settingsChoices } from "./choices";
import { named, reveal } from "./reveal";
import Root from "./Root.svelte";
import { hits } from "./search";
import SettingsWindow from "./SettingsWindow.svelte";
import { AGENT_TABS, addressOf, pageOf, TABS, type Page } from "./page";
import { State } from "./state.svelte";

const NOW = Date.UTC(2026, 2, 2, 12);
const { agents } = lists(NOW)["agents.list"];
const { doors } = lists(NOW)["doors.list"];

afterEach(() => {
  history.replaceState(null, "", "/");
});

/** What search finds for a text, and where it leads. */
function found(text: string, page?: Page) {
  const app = new State(new FakeSettings(), page);
  app.agents = agents;
  const all = hits(app, text, { rules: [], requests: [], printed: [], doors });
  return all
    .filter(({ group }) => group === "settings")
    .map((hit) => ({ name: hit.text.map(({ text }) => text).join(""), note: hit.note, page: hit.page }));
}

const missing = (names: string[]) => names.filter((name) => !named(document, name));

/** Everything on a page that changes a setting, by its name. */
const controls = () =>
  [
    ...document.querySelectorAll<HTMLElement>(
      "main .page :is(.group :is(select, textarea, input:not([type=radio], [type=color])), [role=radiogroup])",
    ),
  ]
    .filter((one) => !one.closest(".segmented")?.closest(".head"))
    .map((one) => {
      const label = (one as HTMLInputElement).labels?.[0];
      return one.getAttribute("aria-label") ?? label?.innerText ?? label?.textContent ?? "";
    })
    .map((text) => text.replace(/\s+/g, " ").trim());

describe("what the search knows of the settings", () => {
  it.each(TABS)("has all that is on %s, and goes to each of it", async (tab) => {
    history.replaceState(null, "", `#${tab}`);
    render(SettingsWindow, { backend: new FakeSettings() });
    const names = settingsChoices[tab].map(({ name }) => name);
    // Some of the fleet is there only in a fleet.
    const there = tab === "fleet" ? names.slice(0, 2) : names;
    await waitFor(() => expect(missing(there)).toEqual([]));
    if (tab === "questions" || tab === "privacy") expect(controls()).not.toEqual([]);
    expect(controls().filter((control) => !names.some((name) => control.startsWith(name)))).toEqual([]);
  });

  it.each(AGENT_TABS.filter((tab) => tab !== "rules"))("has all that is on an agent’s %s", async (tab) => {
    history.replaceState(null, "", `#builder/${tab}`);
    render(Root, { backend: new FakeSettings() });
    await screen.findByRole("heading", { level: 1, name: "builder" });
    const names = agents
      .filter(({ id }) => id === "builder")
      .flatMap((builder) => agentChoices(builder)[tab] ?? [])
      .map(({ name }) => name);
    await waitFor(() => expect(missing(names)).toEqual([]));
    if (tab === "connection") return;
    expect(controls().length).toBeGreaterThan(8);
    expect(controls().filter((control) => !names.some((name) => control.startsWith(name)))).toEqual([]);
  });

  it("finds each by its name, first or among its namesakes", () => {
    for (const { choice, page, whose } of allChoices(agents, doors, undefined)) {
      const those = found(whose === "" ? choice.name : `${choice.name} ${whose}`);
      expect(those, choice.name).toContainEqual(expect.objectContaining({ page }));
    }
  });

  it("finds a setting by what is said of it, and by its choices", () => {
    expect(found("SSH_AUTH_SOCK")).toEqual([]);
    expect(found("dark")[0]).toMatchObject({ name: "Appearance", note: "General" });
    expect(found("recordings screen").every(({ page }) => page.kind === "settings")).toBe(true);
    expect(found("telegram")[0]).toMatchObject({ name: "Telegram", note: "Connections" });
    expect(found("time limit").map(({ note }) => note)).toEqual(agents.map(({ name }) => name));
  });

  it("begins with the agent that is open, and with an agent’s name finds that agent’s alone", () => {
    expect(found("search path", { kind: "agent", id: "research" })[0]?.note).toBe("research");
    expect(found("release search path").map(({ note }) => note)).toEqual(["release"]);
    expect(found("builder"), "that is the agent").toEqual([]);
  });
});

describe("a setting that was found", () => {
  const setup = () => userEvent.setup({ pointerEventsCheck: PointerEventsCheckLevel.Never });

  /** Looks for a text, put in at once: each letter would draw the whole window again. */
  async function search(user: UserEvent, text: string, option: RegExp) {
    const field = screen.getByRole("combobox", { name: /^Search agents/ });
    field.focus();
    await user.paste(text);
    const list = await screen.findByRole("listbox", { name: "Results" });
    await user.click(await within(list).findByRole("option", { name: option }));
  }

  async function choose(text: string, option: RegExp) {
    const backend = new FakeSettings();
    const opened = vi.spyOn(backend, "open").mockResolvedValue();
    render(Root, { backend });
    const user = setup();
    await screen.findByRole("button", { name: /^builder/ });
    await user.keyboard("{Control>}k{/Control}");
    await search(user, text, option);
    return { backend, opened, user };
  }

  it("of an agent has the focus on its tab, also where the agent was open", async () => {
    const { user } = await choose("search path", /Search path.*builder/);
    const path = await screen.findByRole("textbox", { name: /^Search path/ });
    await waitFor(() => expect(path).toHaveFocus());
    await user.keyboard("{Control>}k{/Control}");
    await search(user, "use secrets builder", /Use secrets/);
    const secrets = await screen.findByRole("radiogroup", { name: "Use secrets" });
    await waitFor(() => expect(secrets).toContainElement(document.activeElement as HTMLElement));
  });

  it("of the whole has the focus in the settings’ window", async () => {
    const { opened } = await choose("keep the history", /Keep the history/);
    const [address] = opened.mock.calls[0] ?? [];
    cleanup();
    history.replaceState(null, "", `#${address ?? ""}`);
    render(SettingsWindow, { backend: new FakeSettings() });
    const keep = await screen.findByRole("combobox", { name: /^Keep the history/ });
    await waitFor(() => expect(keep).toHaveFocus());
    expect(location.hash, "it is gone to once").toBe("");
  });

  it("is a part of the address, with every letter that its name can have", () => {
    for (const { page } of allChoices(agents, doors, undefined)) {
      if (page.kind === "settings") expect(pageOf(`#${addressOf(page)}`)).toEqual(page);
    }
    expect(addressOf({ kind: "settings", tab: "privacy", find: "a ?#/’b" })).toMatch(/^[\w?=%+]+$/);
    expect(pageOf("#privacy?find=%")).toEqual({ kind: "settings", tab: "privacy", find: "%" });
  });

  it("is gone to once it can be reached, and shown where nobody can change it", async () => {
    const make = <K extends keyof HTMLElementTagNameMap>(
      tag: K,
      set: object,
      ...inside: (Node | string)[]
    ) => {
      const made = Object.assign(document.createElement(tag), set);
      made.append(...inside);
      return made;
    };
    const version = make("p", { className: "pair" }, "Version 1");
    const off = make("input", { disabled: true });
    const label = make("label", {}, "Keep", make("small", {}, "long"), off);
    const page = make("div", {}, version, label);
    document.body.append(page);
    reveal(page, "Version");
    expect(version).toHaveFocus();
    reveal(page, "Keep");
    expect(off, "a control that is off takes no focus").not.toHaveFocus();
    reveal(page, "Later");
    const later = make("button", {}, "Later");
    page.append(later);
    await waitFor(() => expect(later).toHaveFocus());
    page.remove();
  });
});

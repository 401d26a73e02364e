import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent, { PointerEventsCheckLevel } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { AgentRow } from "../contract";
import { FakeSettings } from "../backend/fake-settings";
import { open, openPart } from "../test/settings";
import Root from "./Root.svelte";
import { words } from "./words";

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

  it("says until when it is stopped, and lets it go on", async () => {
    const { user, call, backend } = await open("builder");
    expect(screen.queryByRole("button", { name: "Allow Again" })).toBeNull();
    await backend.call("agents.set", { agent: "builder", values: { deniedUntil: "10m" } });
    expect(await screen.findByText(/^blocked until /)).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Allow Again" }));
    const values = { deniedUntil: "none" };
    expect(call).toHaveBeenCalledWith("agents.set", { agent: "builder", values });
    await waitFor(() => expect(screen.queryByText(/^blocked until /)).toBeNull());
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

  it("sets one folder for each line, and sets nothing if no line changed", async () => {
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

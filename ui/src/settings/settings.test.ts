import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { FakeSettings } from "../backend/fake-settings";
import { rules } from "../backend/sample-lists";
import { draftOf, pick } from "./rules";
import Root from "./Root.svelte";
import { pageOf } from "./state.svelte";
import { ago, took } from "./time";

async function open(agent?: string) {
  const backend = new FakeSettings();
  const call = vi.spyOn(backend, "call");
  render(Root, { backend });
  const user = userEvent.setup();
  if (agent) await user.click(await screen.findByRole("button", { name: new RegExp(`^${agent}`) }));
  return { user, call, backend };
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

  it("switches read-only commands on", async () => {
    const { user, call } = await open("builder");
    await user.click(screen.getByRole("switch", { name: /read-only/ }));
    const settings = expect.objectContaining({ allowReadOnly: true });
    expect(call).toHaveBeenCalledWith("agents.set", { agent: "builder", settings });
  });

  it("asks twice before nobody's answer means yes, then shows it in red", async () => {
    const { user, call } = await open("builder");
    await user.click(screen.getByText("Advanced"));
    await user.click(screen.getByRole("radio", { name: "Allow everything" }));
    await user.click(screen.getByRole("button", { name: "Set it" }));
    expect(call).not.toHaveBeenCalledWith("agents.set", expect.anything());
    await user.click(screen.getByRole("button", { name: "Set it" }));
    const settings = expect.objectContaining({ fallback: "full" });
    expect(call).toHaveBeenCalledWith("agents.set", { agent: "builder", settings });
    expect(await screen.findByText("If nobody answers, everything is allowed.")).toBeVisible();
  });

  it("shows how to connect a new agent", async () => {
    const { user } = await open();
    await user.click(screen.getByRole("button", { name: "Add agent…" }));
    await user.type(screen.getByRole("textbox", { name: "Name" }), "fresh");
    await user.click(screen.getByRole("button", { name: "Add agent" }));
    expect(await screen.findByTestId("enrolment")).toHaveTextContent("agents/fresh/agent.sock");
  });

  it("does not offer to add a name that is no folder name", async () => {
    const { user } = await open();
    await user.click(screen.getByRole("button", { name: "Add agent…" }));
    await user.type(screen.getByRole("textbox", { name: "Name" }), "../evil");
    expect(screen.getByRole("button", { name: "Add agent" })).toBeDisabled();
  });
});

describe("what else belongs to an agent", () => {
  it("sets folders one a line, and nothing where nothing changed", async () => {
    const { user, call } = await open("builder");
    await user.click(screen.getByText("Advanced"));
    const folders = screen.getByRole("textbox", { name: /^Folders/ });
    await user.clear(folders);
    await user.type(folders, "~/Projects{Enter}  /srv/site  {Enter}");
    await user.tab();
    const settings = expect.objectContaining({ folders: ["~/Projects", "/srv/site"] });
    expect(call).toHaveBeenCalledWith("agents.set", { agent: "builder", settings });
  });

  it("saves permissions.jsonc, keeps what was refused and says where it is wrong", async () => {
    const { user, call } = await open("builder");
    await user.click(screen.getByText("permissions.jsonc"));
    const area = screen.getByRole("textbox", { name: "permissions.jsonc" });
    await vi.waitFor(() => expect(area).toHaveValue('{ "*": "ask" }\n'));
    await user.clear(area);
    await user.type(area, "oops");
    await user.click(screen.getByRole("button", { name: "Save file" }));
    expect(await screen.findByText("Not saved: line 1, column 1: expected a value")).toBeVisible();
    expect(area).toHaveValue("oops");
    await user.clear(area);
    await user.type(area, "{{}");
    await user.click(screen.getByRole("button", { name: "Save file" }));
    expect(call).toHaveBeenLastCalledWith("permissions.set", { agent: "builder", text: "{}" });
    expect(screen.queryByText(/^Not saved/)).toBeNull();
  });
});

describe("the allowlist editor", () => {
  it("adds a rule", async () => {
    const { user, call } = await open("builder");
    await user.click(screen.getByRole("button", { name: "Add rule…" }));
    await user.type(screen.getByRole("textbox", { name: "Pattern" }), "npm test *");
    await user.click(screen.getByRole("button", { name: "Save" }));
    const draft = expect.objectContaining({ effect: "allow", agent: "builder", text: "npm test *" });
    expect(call).toHaveBeenCalledWith("rules.add", draft);
  });

  it("keeps the editor open and says what is wrong with a rule", async () => {
    const { user } = await open("builder");
    await user.click(screen.getByRole("button", { name: "Add rule…" }));
    await user.type(screen.getByRole("textbox", { name: "Pattern" }), "*");
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("a rule that allows everything is refused");
  });
});

describe("rules between list and editor", () => {
  const rows = rules(Date.now());

  it.each([
    ["allowed", 7],
    ["denied", 2],
    ["everyone", 2],
  ] as const)("the tab %s has its own", (tab, many) => {
    expect(pick(rows, tab, "builder", "")).toHaveLength(many);
    expect(pick(rows, tab, "research", "").filter((row) => row.rule.agent === "builder")).toEqual([]);
  });

  it("a search looks at pattern, last command and last path", () => {
    const found = (search: string) => pick(rows, "allowed", "builder", search).map((row) => row.text);
    expect(found("TODO")).toEqual(["/opt/homebrew/bin/rg"]);
    expect(found("XCODE")).toEqual(["/usr/bin/xcodebuild"]);
    expect(found("bin/deploy")).toEqual(["~/.local/bin/*"]);
  });

  it("editing a rule keeps what the editor does not show", () => {
    const row = rows[0];
    if (!row) throw new Error("no sample");
    row.rule.matches = ["rg x"];
    expect(draftOf(row)).toMatchObject({ text: row.text, matches: ["rg x"], pin: true, kind: "path" });
  });
});

it("pauses for an hour, and resumes", async () => {
  const { user, call } = await open();
  await user.click(await screen.findByRole("button", { name: "Pause for an hour" }));
  expect(call).toHaveBeenCalledWith("pause", { forMs: 3_600_000 });
  await user.click(await screen.findByRole("button", { name: "Resume" }));
  expect(call).toHaveBeenCalledWith("resume", {});
});

it("says that the host has stopped, and reads everything anew when it is back", async () => {
  const { call, backend } = await open();
  expect(await screen.findByTestId("state")).toHaveTextContent("Listening");
  backend.tell("host.lost");
  expect(await screen.findByText("Postern has stopped")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Pause for an hour" })).toBeNull();
  call.mockClear();
  backend.tell("host.back");
  expect(await screen.findByRole("button", { name: "Pause for an hour" })).toBeVisible();
  expect(call).toHaveBeenCalledWith("status", {});
});

it("opens at the page that its address names", () => {
  expect(["", "#activity", "#settings", "#builder"].map(pageOf)).toEqual([
    { kind: "activity" },
    { kind: "activity" },
    { kind: "settings" },
    { kind: "agent", id: "builder" },
  ]);
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

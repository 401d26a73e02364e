import { render, screen, waitFor } from "@testing-library/svelte";
import userEvent, { PointerEventsCheckLevel } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { Status } from "../contract";
import { FakeSettings } from "../backend/fake-settings";
import { lists } from "../backend/sample-lists";
import { open } from "../test/settings";
import SettingsWindow from "./SettingsWindow.svelte";
import { addressOf, pageOf, type Page } from "./page";
import { stated } from "./stated";
import { ago } from "../parts/ago";
import { took } from "./time";

/** Some time, for what says times. */
const NOON = Date.UTC(2026, 2, 2, 12);

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
    expect(say({ mode: "deny-all" }).text).toBe("The record can’t be trusted. All requests are denied.");
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

it("says what needs the person, and what to do about it", async () => {
  const backend = new FakeSettings();
  backend.attention = [{ kind: "unwritten", message: "2 endings wait to be written" }];
  render(SettingsWindow, { backend });
  expect(await screen.findByText("2 endings wait to be written")).toBeVisible();
  expect(screen.getByText(/^Make room on the disk\./)).toBeVisible();
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

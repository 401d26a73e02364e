import { render, screen, waitFor } from "@testing-library/svelte";
import userEvent, { PointerEventsCheckLevel } from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import { FakeSettings } from "../../backend/fake-settings";
import type { UpdateState } from "../../contract";
import { updates } from "../../words/updates";
import SettingsWindow from "../SettingsWindow.svelte";
import { State } from "../state.svelte";
import { hits } from "../search";
import { bytes } from "./amount";

const user = userEvent.setup({ pointerEventsCheck: PointerEventsCheckLevel.Never });
const release = { version: "1.2.0", size: 42_000_000 };
const said = (update: UpdateState) => updates.said(update, bytes);

function open(updating: UpdateState | null) {
  history.replaceState(null, "", "#general");
  const backend = new FakeSettings();
  backend.updating = updating;
  render(SettingsWindow, { backend });
  return backend;
}

afterEach(() => {
  history.replaceState(null, "", "/");
});

it("a build without an updater shows nothing of it", async () => {
  open(null);
  await screen.findByRole("radiogroup", { name: "Appearance" });
  expect(screen.queryByText("Updates")).toBeNull();
  expect(screen.queryByRole("switch", { name: /^Check for updates/ })).toBeNull();
});

it("a release that is found is installed once nothing waits and nothing runs", async () => {
  const backend = open({ state: "unknown" });
  await user.click(await screen.findByRole("button", { name: "Check for Updates" }));
  await screen.findByText("Version 1.2.0 is available (42 MB).");
  await user.click(screen.getByRole("button", { name: "Install and Restart" }));
  await screen.findByText("Version 1.2.0 waits for 1 question and 2 commands.");
  await user.click(screen.getByRole("button", { name: "Not Now" }));
  await screen.findByRole("button", { name: "Install and Restart" });
  backend.become({ state: "installing", release });
  await waitFor(() => expect(screen.getByRole("button", { name: "Check for Updates" })).toBeDisabled());
});

it("nothing is checked daily until the person turns it on", async () => {
  const backend = open({ state: "unknown" });
  const daily = await screen.findByRole("switch", { name: /^Check for updates automatically/ });
  expect(daily).not.toBeChecked();
  await user.click(daily);
  expect(await backend.preferences()).toMatchObject({ checkUpdates: true, sound: true });
});

it("says each state in words", () => {
  expect(said({ state: "available", release: { version: "1.2.0", size: null } })).toBe(
    "Version 1.2.0 is available.",
  );
  expect(said({ state: "refused", version: "0.9.0", newest: "1.0.0" })).toMatch(
    /^Version 0\.9\.0 is refused: version 1\.0\.0/,
  );
  const waiting = { state: "waiting", release } as const;
  expect(said({ ...waiting, questions: 2, commands: 0 })).toMatch(/waits for 2 questions\.$/);
  expect(said({ ...waiting, questions: 0, commands: 1 })).toMatch(/waits for 1 command\.$/);
  expect(said({ ...waiting, questions: 0, commands: 0 })).toMatch(/waits for Postern’s host\.$/);
});

it("the search finds it where there is an updater", () => {
  const app = new State(new FakeSettings());
  const found = () => hits(app, "updates automatically", { rules: [], requests: [], printed: [], doors: [] });
  expect(found()).toEqual([]);
  app.update = { state: "unknown" };
  expect(found()).toMatchObject([{ group: "settings", page: { kind: "settings", tab: "general" } }]);
});

import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { FakeSettings } from "../../backend/fake-settings";
import { State } from "../state.svelte";
import Look from "./Look.svelte";

// As on a Mac: elsewhere a window cannot be left out of recordings.
vi.mock("../../words/platform", async (actual) => ({ ...(await actual<object>()), onMac: true }));

it("questions are hidden from recordings where that is wanted, with what it can't do", async () => {
  const backend = new FakeSettings();
  render(Look, { app: new State(backend), part: "questions" });
  const hide = await screen.findByRole("switch", { name: /^Hide questions from recordings/ });
  expect(hide).not.toBeChecked();
  expect(hide).toHaveAccessibleDescription(/macOS 15 and later may show them/);
  await userEvent.click(hide);
  expect(hide).toBeChecked();
  expect(await backend.preferences()).toMatchObject({ unrecorded: true, sound: true });
});

it("questions wait in the inbox alone while others see the screen", async () => {
  const backend = new FakeSettings();
  render(Look, { app: new State(backend), part: "questions" });
  const alone = await screen.findByRole("switch", { name: /^Keep questions in the inbox/ });
  expect(alone).not.toBeChecked();
  expect(alone).toHaveAccessibleDescription(/no panel, no notification, no sound/);
  await userEvent.click(alone);
  expect(await backend.preferences()).toMatchObject({ inboxOnly: true, sound: true });
});

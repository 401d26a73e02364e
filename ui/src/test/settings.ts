// What the tests of the main window share.

import { render, screen, within } from "@testing-library/svelte";
import userEvent, { PointerEventsCheckLevel } from "@testing-library/user-event";
import { vi } from "vitest";
import { FakeSettings } from "../backend/fake-settings";
import Root from "../settings/Root.svelte";

/** Opens the main window, at an agent if one is named. */
export async function open(agent?: string, backend = new FakeSettings()) {
  const call = vi.spyOn(backend, "call");
  render(Root, { backend });
  const user = userEvent.setup({ pointerEventsCheck: PointerEventsCheckLevel.Never });
  if (agent) await user.click(await screen.findByRole("button", { name: new RegExp(`^${agent}`) }));
  return { user, call, backend };
}

/** Opens a part of an agent's page. */
export async function openPart(part: string) {
  const opened = await open("builder");
  const parts = within(screen.getByRole("radiogroup", { name: "Parts of this page" }));
  await opened.user.click(parts.getByRole("radio", { name: part }));
  return opened;
}

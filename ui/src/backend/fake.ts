// A stand-in for the app, so that the real pages run in a browser: for design, and under test.

import type { Pill } from "../contract";
import type { ApprovalBackend, OutputBackend, PopoverBackend, SettingsBackend } from "./backend";
import { FakeApproval, type Said } from "./fake-approval";
import { FakePopover } from "./fake-popover";
import { FakeSettings } from "./fake-settings";
import { alikeBatch, scenes, type Scene } from "./samples";

export { FakeApproval, type Said };

declare global {
  interface Window {
    said?: Said;
    /** For tests: what was saved, and news to tell. */
    fakeSettings?: FakeSettings;
    fakePopover?: FakePopover;
  }
}

/** What became of an answer, by scene. */
const pills: Record<string, Pill> = {
  "pill-denied": { state: "denied" },
  "pill-running": { state: "running", since: Date.now() - 3_000 },
  "pill-passed": { state: "passed" },
  "pill-failed": { state: "failed", code: 1 },
  "pill-allowed-all": { state: "allowed-all", count: 6 },
  "pill-saved": { state: "saved", also: 5, denies: false, undo: true },
};

export function approval(): ApprovalBackend {
  const wanted = new URLSearchParams(location.search).get("scene") ?? "push";
  const scene = wanted in scenes ? (wanted as Scene) : "push";
  const fake = wanted in pills ? new FakeApproval([], pills[wanted]) : new FakeApproval([scenes[scene]()]);
  if (scene === "alike") fake.batch = alikeBatch;
  if (wanted === "later") fake.later = 3;
  window.said = fake.said;
  return fake;
}

export function popover(): PopoverBackend {
  const scene = new URLSearchParams(location.search).get("scene") ?? "";
  window.fakePopover = new FakePopover(new FakeSettings({ scene }));
  return window.fakePopover;
}

export function output(): OutputBackend {
  const wanted = new URLSearchParams(location.search);
  const fake = new FakeSettings({ scene: wanted.get("scene") ?? "" });
  const id = wanted.get("request") ?? "";
  return { read: (secrets) => fake.call("requests.get", { id, secrets }), close: async () => window.close() };
}

export function settings(): SettingsBackend {
  const wanted = new URLSearchParams(location.search);
  const number = (name: string) => Number(wanted.get(name) ?? 0);
  const fake = new FakeSettings({
    rules: number("rules"),
    history: number("history"),
    scene: wanted.get("scene") ?? "",
  });
  window.fakeSettings = fake;
  window.said = fake.asking.said;
  return fake;
}

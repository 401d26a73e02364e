// Chooses what is behind the page. A production build knows only the app; the fake stays out of it.

import type { ApprovalBackend, OutputBackend, PopoverBackend, SettingsBackend } from "./backend";

const faked = import.meta.env.MODE !== "production" && !("__TAURI_INTERNALS__" in window);

export async function approvalBackend(): Promise<ApprovalBackend> {
  return faked ? (await import("./fake")).approval() : (await import("./tauri")).approval();
}

export async function popoverBackend(): Promise<PopoverBackend> {
  return faked ? (await import("./fake")).popover() : (await import("./tauri")).popover();
}

export async function outputBackend(): Promise<OutputBackend> {
  return faked ? (await import("./fake")).output() : (await import("./tauri")).output();
}

export async function settingsBackend(): Promise<SettingsBackend> {
  return faked ? (await import("./fake")).settings() : (await import("./tauri")).settings();
}

// The app behind the pages. The only file that speaks to Tauri.

import { Channel, invoke } from "@tauri-apps/api/core";
import type { Overview, Showing } from "../contract";
import type {
  ApprovalBackend,
  Method,
  News,
  OutputBackend,
  Params,
  PopoverBackend,
  Result,
  SettingsBackend,
} from "./backend";

/** A subscription: the app sends on the channel for as long as this page lives. */
function subscribe<T>(command: string, send: (message: T) => void) {
  let live = true;
  const channel = new Channel<T>((message) => live && send(message));
  void invoke(command, { channel });
  return () => {
    live = false;
  };
}

export function approval(): ApprovalBackend {
  return {
    watch: (show) => subscribe<Showing>("question_watch", show),
    presented: (id, digest, height, always) => invoke("question_presented", { id, digest, height, always }),
    seenEnd: (id, digest) => invoke("question_seen_end", { id, digest }),
    answer: (params, others) => invoke("question_answer", { params, others }),
    putOff: (id, digest) => invoke("question_later", { id, digest }),
    gather: (together) => invoke("question_gather", { together }),
    hold: (id, digest) => invoke("question_hold", { id, digest }),
    release: () => invoke("question_release"),
    press: (id, digest) => invoke("question_press", { id, digest }),
    details: (open) => invoke("question_details", { open }),
    act: (act) => invoke("question_act", { act }),
    drag: () => invoke("question_drag"),
    edit: (params) => invoke("question_edit", { params }),
    preview: (params) => invoke("question_preview", { params }),
    script: (script) => invoke("question_script", { script }),
    inbox: () => invoke("question_inbox"),
  };
}

export function popover(): PopoverBackend {
  return {
    watch: (show) => subscribe<Overview>("popover_watch", show),
    laidOut: (height) => invoke("popover_laid_out", { height }),
    act: (item) => invoke("popover_act", { item }),
  };
}

export function output(): OutputBackend {
  return { read: (secrets) => invoke("output_read", { secrets }), close: () => invoke("output_close") };
}

export function settings(): SettingsBackend {
  return {
    inbox: () => ({
      ...approval(),
      choose: (id) => invoke("inbox_choose", { id }),
      // Neither is moved, nor leads to itself.
      drag: async () => {},
      inbox: async () => {},
    }),
    leaveInbox: () => invoke("inbox_close"),
    call: <M extends Method>(method: M, params: Params<M>) =>
      invoke<Result<M>>("settings_call", { method, params }),
    launchAtLogin: () => invoke("settings_launch_at_login"),
    chooseFolder: () => invoke("settings_choose_folder"),
    save: (name, text) => invoke("settings_save", { name, text }),
    setLaunchAtLogin: (on) => invoke("settings_set_launch_at_login", { on }),
    preferences: () => invoke("settings_preferences"),
    setPreferences: (preferences) => invoke("settings_set_preferences", { preferences }),
    command: () => invoke("settings_command"),
    presence: () => invoke("settings_presence"),
    updates: () => invoke("settings_updates"),
    checkUpdates: () => invoke("settings_check_updates"),
    installUpdate: () => invoke("settings_install_update"),
    putOffUpdate: () => invoke("settings_put_off_update"),
    finishFirstRun: () => invoke("settings_finish_first_run"),
    open: (page) => invoke("settings_open", { page }),
    openOutput: (id) => invoke("output_open", { id }),
    watch: (told) => subscribe<News>("settings_watch", told),
  };
}

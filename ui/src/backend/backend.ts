// What a page needs from whatever is behind it. `tauri.ts` is the app, `fake.ts` a stand-in for tests and design.

import type {
  Answered,
  AnswerParams,
  ControlMethods,
  Edited,
  EditParams,
  Overview,
  PillAct,
  Preferences,
  Presence,
  QuestionName,
  RequestDetail,
  RulePreview,
  ScriptRef,
  ScriptText,
  Showing,
  ApproverNotification,
  UpdateState,
} from "../contract";

/** What the settings page is told: the name of a notification, or what happened to the host or to updates of the app. */
export type News = ApproverNotification["method"] | "host.lost" | "host.back" | "updates.changed";

/** Stops a subscription. */
export type Stop = () => void;

/** All that the approval page can do. It says an id and an answer; what a person makes of the command is judged first. */
export interface ApprovalBackend {
  /** Tells what to show now, and again whenever that changes. */
  watch(show: (showing: Showing) => void): Stop;
  /** The question, or its card for *Always*, is laid out; all of it would be this many CSS pixels high. */
  presented(id: string, digest: string, height: number, always: boolean): Promise<void>;
  /** The end of the question has been visible. */
  seenEnd(id: string, digest: string): Promise<void>;
  /** A person's answer, also to the others that are shown as one with the question. */
  answer(params: AnswerParams, others: QuestionName[]): Promise<Answered>;
  /** The person wants those that are alike together, or one at a time. */
  gather(together: boolean): Promise<void>;
  /** The person keeps what is on show for later: it waits in the inbox. */
  putOff(id: string, digest: string): Promise<void>;
  /** The command as a person changed it: it comes back as another question, or with the reason why not. */
  edit(params: EditParams): Promise<Edited>;
  /** *Allow* is pressed: tells once it was held for long enough, or that it was not. */
  hold(id: string, digest: string): Promise<boolean>;
  /** *Allow* is let go. */
  release(): Promise<void>;
  /** The first of two presses, for who cannot hold; whether it counts. Arming starts over. */
  press(id: string, digest: string): Promise<boolean>;
  /** The person opened or closed the details. */
  details(open: boolean): Promise<void>;
  /** What the person does about the last answer. */
  act(act: PillAct): Promise<void>;
  /** The person moves the window. */
  drag(): Promise<void>;
  /** What an answer would save: what that adds to its offer, and what it would have let through. */
  preview(params: AnswerParams): Promise<RulePreview>;
  /** The whole text of a script that the question shows. */
  script(script: ScriptRef): Promise<ScriptText>;
  /** Opens the inbox, where all that waits is listed. */
  inbox(): Promise<void>;
}

/** The same in the inbox of the main window, where the person chooses what is on show. */
export interface InboxBackend extends ApprovalBackend {
  choose(id: string): Promise<void>;
}

/** What the popover can do: what the items of the menu do. It answers no question. */
export type PopoverItem =
  | "block-hour"
  | "unblock"
  | "close"
  | "ask-later"
  | "settings"
  | "settings:inbox"
  | "settings:search"
  | "settings:settings"
  | `question:${string}`
  | `settings:request.${string}`
  | `stop:${string}`;

/** All that the popover can do. */
export interface PopoverBackend {
  /** Tells what to show now, and again whenever that changes. */
  watch(show: (overview: Overview) => void): Stop;
  /** The page is laid out, and this many CSS pixels high. */
  laidOut(height: number): Promise<void>;
  act(item: PopoverItem): Promise<void>;
}

/** All that a window of output can do: read its own request. */
export interface OutputBackend {
  read(secrets: boolean): Promise<RequestDetail>;
  close(): Promise<void>;
}

/** The control methods that the main window may call. None of them answers a question: that takes the inbox. */
export type Method =
  | Exclude<keyof ControlMethods, `questions.${string}` | `tool.${string}` | "requests.watch">
  | "questions.list";
export type Params<M extends Method> = ControlMethods[M]["params"];
export type Result<M extends Method> = ControlMethods[M]["result"];

/** All that the main window and that of the settings can do. */
export interface SettingsBackend {
  /** What shows and answers questions while the inbox is open and the window has the keyboard. */
  inbox(): InboxBackend;
  /** Another page than the inbox is shown. */
  leaveInbox(): Promise<void>;
  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>>;
  launchAtLogin(): Promise<boolean>;
  setLaunchAtLogin(on: boolean): Promise<void>;
  preferences(): Promise<Preferences>;
  setPreferences(preferences: Preferences): Promise<void>;
  presence(): Promise<Presence>;
  /** The path of the `postern` that came with the app; null if none did. */
  command(): Promise<string | null>;
  /** The state of updates; null if this build has no updater. */
  updates(): Promise<UpdateState | null>;
  checkUpdates(): Promise<void>;
  /** Installs the release that was found, once nothing waits and nothing runs. */
  installUpdate(): Promise<void>;
  /** Puts off a release that waits to be installed. */
  putOffUpdate(): Promise<void>;
  /** The first run is over: its window becomes the main one. */
  finishFirstRun(): Promise<void>;
  /** Lets the person choose a folder in the system's dialog. Gives its path, or null if they choose none. */
  chooseFolder(): Promise<string | null>;
  /** Writes a text into the person's Downloads folder under this name, or one like it that is free. Gives the path. */
  save(name: string, text: string): Promise<string>;
  /** Opens a page, by the end of its address: the settings in their own window, all else in the main one. */
  open(page: string): Promise<void>;
  /** Opens a request's output in a window of its own, or brings that to the front. */
  openOutput(id: string): Promise<void>;
  /** Tells what happened, by its name; the page asks for the lists again. */
  watch(told: (what: News) => void): Stop;
}

// A stand-in for the app, so that the real pages run in a browser: for design, and under test.

import type { AnswerParams, Question } from "../contract";
import type { ApprovalBackend, Arming, SettingsBackend, Showing } from "./backend";
import { FakeSettings } from "./fake-settings";
import { scenes, type Scene } from "./samples";

/** What the page said, for tests to look at. */
export interface Said {
  answers: AnswerParams[];
  presented: { id: string; digest: string; height: number }[];
  seen: string[];
}

declare global {
  interface Window {
    said?: Said;
  }
}

export class FakeApproval implements ApprovalBackend {
  readonly said: Said = { answers: [], presented: [], seen: [] };
  private show: (showing: Showing) => void = () => undefined;
  private arming: Arming = { state: "unseen" };
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** @param queue what waits, oldest first */
  constructor(private queue: Question[]) {}

  watch(show: (showing: Showing) => void) {
    this.show = show;
    this.tell();
    return () => {
      this.show = () => undefined;
      clearTimeout(this.timer);
    };
  }

  async presented(id: string, digest: string, height: number) {
    this.said.presented.push({ id, digest, height });
  }

  async seenEnd(id: string) {
    const open = this.queue[0];
    if (open?.id !== id || this.arming.state !== "unseen") return;
    this.said.seen.push(id);
    this.arming = { state: "counting", leftMs: open.armingMs };
    this.tell();
    this.timer = setTimeout(() => this.arm(), open.armingMs);
  }

  /** Arms at once, as the app would after its own clock. */
  arm() {
    this.arming = { state: "armed" };
    this.tell();
  }

  async answer(params: AnswerParams) {
    this.said.answers.push(params);
    const open = this.queue[0];
    if (open?.id !== params.questionId)
      return { applied: false, reason: "it was answered already", also: [] };
    this.queue.shift();
    clearTimeout(this.timer);
    this.arming = { state: "unseen" };
    this.tell();
    return { applied: true, reason: null, also: [] };
  }

  private tell() {
    this.show({ question: this.queue[0] ?? null, arming: this.arming });
  }
}

export function approval(): ApprovalBackend {
  const wanted = new URLSearchParams(location.search).get("scene") ?? "push";
  const scene = wanted in scenes ? (wanted as Scene) : "push";
  const fake = new FakeApproval([scenes[scene]()]);
  window.said = fake.said;
  return fake;
}

export function settings(): SettingsBackend {
  return new FakeSettings(Number(new URLSearchParams(location.search).get("rules") ?? 0));
}

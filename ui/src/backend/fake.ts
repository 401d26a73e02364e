// A stand-in for the app, so that the real pages run in a browser: for design, and under test.

import type {
  AnswerParams,
  Edited,
  EditParams,
  Offer,
  Question,
  RulePreview,
  Showing,
  ShownArming,
} from "../contract";
import type { ApprovalBackend, SettingsBackend } from "./backend";
import { FakeSettings } from "./fake-settings";
import { editedTo, scenes, sentence, text, type Scene } from "./samples";

/** What the page said, for tests to look at. */
export interface Said {
  answers: AnswerParams[];
  edits: EditParams[];
  previews: Offer[];
  presented: { id: string; digest: string; height: number }[];
  seen: string[];
}

declare global {
  interface Window {
    said?: Said;
    /** For tests: what was saved, and news to tell. */
    fakeSettings?: FakeSettings;
  }
}

export class FakeApproval implements ApprovalBackend {
  readonly said: Said = { answers: [], edits: [], previews: [], presented: [], seen: [] };
  private show: (showing: Showing) => void = () => undefined;
  private arming: ShownArming = { state: "unseen" };
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
      return { applied: false, reason: "it was answered already", also: [], saved: [] };
    this.queue.shift();
    clearTimeout(this.timer);
    this.arming = { state: "unseen" };
    this.tell();
    return { applied: true, reason: null, also: [], saved: [] };
  }

  async edit(params: EditParams): Promise<Edited> {
    this.said.edits.push(params);
    const open = this.queue[0];
    if (open?.digest !== params.digest)
      return { applied: false, reason: text("what was shown is not what would run now; look again") };
    if (/\brm\b/.test(params.text))
      return {
        applied: false,
        reason: sentence("it is never allowed: ", "rm -rf /", " removes everything there is."),
      };
    this.queue[0] = editedTo(open, params.text);
    clearTimeout(this.timer);
    this.arming = { state: "unseen" };
    this.tell();
    return { applied: true, reason: null };
  }

  async preview(offer: Offer): Promise<RulePreview> {
    this.said.previews.push(offer);
    const text = offer.edited ?? "";
    const problem = offer.edited !== null && text.trim().length < 2 ? "a rule needs a pattern" : null;
    const examples = ["git push origin main", "git push origin fix-login", "git push --tags"];
    return { problem, remarks: [], matched: problem ? 0 : 7, of: 50, examples: problem ? [] : examples };
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
  const wanted = new URLSearchParams(location.search);
  const number = (name: string) => Number(wanted.get(name) ?? 0);
  const fake = new FakeSettings({
    rules: number("rules"),
    history: number("history"),
    scene: wanted.get("scene") ?? "",
  });
  window.fakeSettings = fake;
  return fake;
}

// A stand-in for the app, so that the real pages run in a browser: for design, and under test.

import type {
  AnswerParams,
  Edited,
  EditParams,
  Offer,
  Pill,
  PillAct,
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
  presented: { id: string; digest: string; height: number; always: boolean }[];
  seen: string[];
  acts: PillAct[];
}

declare global {
  interface Window {
    said?: Said;
    /** For tests: what was saved, and news to tell. */
    fakeSettings?: FakeSettings;
  }
}

export class FakeApproval implements ApprovalBackend {
  readonly said: Said = { answers: [], edits: [], previews: [], presented: [], seen: [], acts: [] };
  private show: (showing: Showing) => void = () => undefined;
  private arming: ShownArming = { state: "unseen" };
  private settled = false;
  private unfolded = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private settling: ReturnType<typeof setTimeout> | undefined;
  private holding: ReturnType<typeof setTimeout> | undefined;
  private letGo: () => void = () => undefined;

  /**
   * @param queue what waits, oldest first
   * @param pill what became of the last answer, where nothing waits
   */
  constructor(
    private queue: Question[],
    private pill: Pill | null = null,
  ) {}

  watch(show: (showing: Showing) => void) {
    this.show = show;
    this.appear();
    return () => {
      this.show = () => undefined;
      clearTimeout(this.timer);
      clearTimeout(this.settling);
    };
  }

  /** Another question is on show: it is not armed, and answers count after a moment. */
  private appear() {
    clearTimeout(this.timer);
    clearTimeout(this.settling);
    this.arming = { state: "unseen" };
    this.settled = false;
    this.settling = setTimeout(() => this.settle(), 600);
    this.tell();
  }

  /** Lets answers count at once, as the app would after its own clock. */
  settle() {
    this.settled = true;
    this.tell();
  }

  async presented(id: string, digest: string, height: number, always: boolean) {
    const last = this.said.presented.at(-1);
    this.said.presented.push({ id, digest, height, always });
    if (!last || last.id !== id || last.always === always || this.arming.state === "unseen") return;
    this.count();
  }

  /** Arming starts over. */
  private count() {
    clearTimeout(this.timer);
    const leftMs = this.queue[0]?.armingMs ?? 0;
    this.arming = { state: "counting", leftMs };
    this.timer = setTimeout(() => this.arm(), leftMs);
    this.tell();
  }

  async hold() {
    if (this.arming.state !== "armed") return false;
    return new Promise<boolean>((held) => {
      this.holding = setTimeout(() => held(true), 1200);
      this.letGo = () => held(false);
    });
  }

  async release() {
    clearTimeout(this.holding);
    this.letGo();
  }

  async press() {
    if (this.arming.state !== "armed") return false;
    this.count();
    return true;
  }

  async details(open: boolean) {
    this.unfolded = open;
    this.tell();
  }

  async act(act: PillAct) {
    this.said.acts.push(act);
    this.pill = null;
    this.tell();
  }

  async drag() {}

  async seenEnd(id: string) {
    const open = this.queue[0];
    if (open?.id !== id || this.arming.state !== "unseen") return;
    this.said.seen.push(id);
    this.count();
  }

  /** Arms at once, as the app would after its own clock. */
  arm() {
    this.settled = true;
    this.arming = { state: "armed" };
    this.tell();
  }

  async answer(params: AnswerParams) {
    this.said.answers.push(params);
    const open = this.queue[0];
    if (open?.id !== params.questionId)
      return { applied: false, reason: "it was answered already", also: [], saved: [] };
    this.queue.shift();
    this.appear();
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
    this.appear();
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
    const question = this.queue[0] ?? null;
    const { arming, settled, unfolded: details, pill } = this;
    const hold = question?.risk.level === "dangerous";
    this.show({ question, arming, settled, hold, details, pill });
  }
}

/** What became of an answer, by scene. */
const pills: Record<string, Pill> = {
  "pill-denied": { state: "denied" },
  "pill-running": { state: "running", since: Date.now() - 3_000 },
  "pill-passed": { state: "passed" },
  "pill-failed": { state: "failed", code: 1 },
  "pill-saved": { state: "saved", also: 5, undo: true },
};

export function approval(): ApprovalBackend {
  const wanted = new URLSearchParams(location.search).get("scene") ?? "push";
  const scene = wanted in scenes ? (wanted as Scene) : "push";
  const fake = wanted in pills ? new FakeApproval([], pills[wanted]) : new FakeApproval([scenes[scene]()]);
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

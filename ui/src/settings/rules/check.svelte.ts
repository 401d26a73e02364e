// A rule is looked at while it is typed: what is wrong with it, what it would have matched.

import type { RuleDraft, RulePreview } from "../../contract";
import type { State } from "../state.svelte";

/** How long nothing must have been typed, in milliseconds. */
const PAUSE = 150;

export class Check {
  /** What the host says of the draft that was looked at last; none before, and where it cannot say. */
  preview: RulePreview | null = $state.raw(null);
  checking = $state(false);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;

  constructor(private readonly app: State) {}

  /** Looks at a draft soon, unless another one comes before. */
  soon(draft: RuleDraft) {
    clearTimeout(this.timer);
    this.asked += 1;
    if (draft.text.trim() === "") {
      this.preview = null;
      this.checking = false;
      return;
    }
    this.checking = true;
    const mine = this.asked;
    this.timer = setTimeout(() => void this.look(draft, mine), PAUSE);
  }

  stop() {
    clearTimeout(this.timer);
    this.asked += 1;
  }

  private async look(draft: RuleDraft, mine: number) {
    let found: RulePreview | null = null;
    try {
      found = await this.app.backend.call("rules.preview", draft);
    } catch {
      // Looking is a courtesy; saving checks again.
    }
    if (mine !== this.asked) return;
    this.preview = found;
    this.checking = false;
  }
}

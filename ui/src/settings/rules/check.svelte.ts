// A rule is looked at while it is typed: what is wrong with it, what it would let through, what it would have matched.

import type { RuleDraft, RulePreview, ShownEffect } from "../../contract";
import type { State } from "../state.svelte";

/** How long nothing must have been typed, in milliseconds. */
const PAUSE = 150;

export class Check {
  /** What the host says of the draft that was looked at last; none before, and where it cannot say. */
  preview: RulePreview | null = $state.raw(null);
  /** Whether it can be saved only as a broad rule: then the preview is of that. */
  needsBroad = $state(false);
  /** The effects of a command that it covers, the most consequential first. */
  effects: ShownEffect[] = $state.raw([]);
  checking = $state(false);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;

  /** @param whole  looks also at what a broad rule would be, and at effects: where there is room to show them */
  constructor(
    private readonly app: State,
    private readonly whole = false,
  ) {}

  /** Looks at a draft soon, unless another one comes before. */
  soon(draft: RuleDraft) {
    clearTimeout(this.timer);
    this.asked += 1;
    // A rule that was looked at before says nothing of this one.
    this.needsBroad = false;
    if (draft.text.trim() === "") {
      this.preview = null;
      this.effects = [];
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
    let found = await this.previewOf(draft);
    const narrow = this.whole && draft.effect === "allow" && !draft.broad;
    const broad = narrow && found?.problem != null ? await this.previewOf({ ...draft, broad: true }) : null;
    const needsBroad = broad !== null && broad.problem === null;
    if (needsBroad) found = broad;
    const effects = this.whole && found && found.problem === null ? await this.effectsOf(draft, found) : [];
    if (mine !== this.asked) return;
    this.preview = found;
    this.needsBroad = needsBroad;
    this.effects = effects;
    this.checking = false;
  }

  private async previewOf(draft: RuleDraft): Promise<RulePreview | null> {
    try {
      return await this.app.backend.call("rules.preview", draft);
    } catch {
      // Looking is a courtesy; saving checks again.
      return null;
    }
  }

  /** What a command does that it covers: the newest of the history, or else its own words. */
  private async effectsOf(draft: RuleDraft, { examples }: RulePreview): Promise<ShownEffect[]> {
    const agent = this.app.agent(draft.agent ?? "") ?? this.app.agents[0];
    const shell = sampleOf(draft, examples);
    if (!agent || !shell) return [];
    const cwd = agent.settings.folders.find((folder) => folder.startsWith("/")) ?? null;
    try {
      return (await this.app.backend.call("explain", { agent: agent.id, shell, cwd })).effects;
    } catch {
      return [];
    }
  }
}

/** A command that a rule covers; none for rules about files, and where its text is not whole. */
export function sampleOf(draft: RuleDraft, examples: string[]): string | null {
  if (draft.kind === "read" || draft.kind === "write" || draft.kind === "identity") return null;
  // What was escaped to be shown is not the command any more.
  const seen = examples.find((line) => !/\\u\{|\\[nrt]|…/.test(line));
  if (seen) return seen;
  const words = draft.text.trim().replace(/(\s+\*{1,2})+$/, "");
  return words === "" || /[*?[\]{}:]/.test(words) ? null : words;
}

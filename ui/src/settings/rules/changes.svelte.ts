// Every change of rules that was made here, to be undone and done again. Rules are put back whole: number, pin and use.

import type { Rule } from "../../contract";
import type { State } from "../state.svelte";
import { words } from "../words";
import { missing } from "./list";

/** What was there before, and what is there since. */
interface Change {
  what: string;
  before: Rule[];
  after: Rule[];
}

/** How many changes are remembered. */
const REMEMBERED = 100;

export class Changes {
  private done: Change[] = $state.raw([]);
  private undone: Change[] = $state.raw([]);
  private busy = false;

  constructor(private readonly app: State) {}

  /** What would be undone, in words. */
  get last(): string | null {
    return this.done.at(-1)?.what ?? null;
  }

  /** What would be done again, in words. */
  get next(): string | null {
    return this.undone.at(-1)?.what ?? null;
  }

  /** Notes a change that was made. */
  note(what: string, before: Rule[], after: Rule[]) {
    this.done = [...this.done, { what, before, after }].slice(-REMEMBERED);
    this.undone = [];
    this.app.say(what, true);
  }

  async undo() {
    const change = this.done.at(-1);
    if (!change || !(await this.put(change.before, change.after))) return;
    this.done = this.done.slice(0, -1);
    this.undone = [...this.undone, change];
    this.app.say(words.rules.undone(change.what));
  }

  async redo() {
    const change = this.undone.at(-1);
    if (!change || !(await this.put(change.after, change.before))) return;
    this.undone = this.undone.slice(0, -1);
    this.done = [...this.done, change];
    this.app.say(words.rules.redone(change.what));
  }

  /** Puts rules, and removes those that were there instead. */
  private async put(rules: Rule[], instead: Rule[]): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    const remove = missing(instead, rules);
    const put = await this.app.try("rules.put", { put: rules, remove });
    this.busy = false;
    return put !== null;
  }
}

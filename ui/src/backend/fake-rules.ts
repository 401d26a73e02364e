// The fake's rules: added, changed, put back and imported as the app would do it.

import type {
  AlsoCovers,
  Pattern,
  Rule,
  RuleDraft,
  RuleFile,
  RulePreview,
  RuleRow,
  RulesPut,
} from "../contract";
import { lists, rule, rules } from "./sample-lists";

/** What broad rules cover besides, by what was typed. */
const broad: Record<string, AlsoCovers[]> = {
  "sh *": [{ effect: null, by: ["any"], text: "run any program (any)" }],
  "find *": [
    { effect: null, by: ["-exec", "-execdir", "-ok"], text: "run any program (-exec, -execdir, -ok)" },
    { effect: "delete", by: ["-delete"], text: "delete files (-delete)" },
    { effect: "write", by: ["-fprint"], text: "write files (-fprint)" },
  ],
};

export class FakeRules {
  private rows: RuleRow[];
  private made = 100_000;

  constructor(
    private readonly now: number,
    extra: number,
    hostile: boolean,
    empty: boolean,
    private readonly tell: () => void,
  ) {
    this.rows = empty ? [] : [...(hostile ? lists(now).hostile.rules : []), ...rules(now)];
    for (let i = 0; i < extra; i += 1) {
      const path = `/opt/tools/bin/tool-${i}`;
      const count = (i * 7919) % 1000;
      this.rows.push(
        rule(1000 + i, now, {
          pattern: { kind: "path", value: path },
          text: path,
          count,
          ...(count > 0
            ? { used: i * 60_000, command: `tool-${i} --check` }
            : { remarks: [{ kind: "unused", text: "unused" }] }),
        }),
      );
    }
  }

  count(agent: string, effect: string): number {
    return this.rows.filter(({ rule: one }) => one.agent === agent && one.effect === effect).length;
  }

  list(agent: string | null | undefined, own: boolean | undefined): RuleRow[] {
    return this.rows.filter(({ rule: one }) => !agent || one.agent === agent || (!own && one.agent === null));
  }

  all(): RuleRow[] {
    return this.rows;
  }

  named(id: number): RuleRow | null {
    return this.rows.find((row) => row.rule.id === id) ?? null;
  }

  add(draft: RuleDraft): RuleRow {
    const row = this.fromDraft((this.made += 1), draft);
    this.rows = [row, ...this.rows];
    this.tell();
    return row;
  }

  update(id: number, draft: RuleDraft): RuleRow {
    const row = this.fromDraft(id, draft);
    const old = this.named(id);
    const next = { ...row, rule: { ...row.rule, usage: old?.rule.usage ?? row.rule.usage } };
    this.rows = this.rows.map((one) => (one.rule.id === id ? next : one));
    this.tell();
    return next;
  }

  put({ put = [], remove = [] }: RulesPut): RuleRow[] {
    const gone = new Set([...(remove ?? []), ...(put ?? []).map((one) => one.id)]);
    const written = (put ?? []).map((one) =>
      this.fromRule(one.id === 0 ? { ...one, id: (this.made += 1) } : one),
    );
    this.rows = [...written, ...this.rows.filter((row) => !gone.has(row.rule.id))];
    this.tell();
    return written;
  }

  preview(draft: RuleDraft): RulePreview {
    const said = lists(this.now)["rules.preview"];
    const text = draft.text.trim();
    const also = broad[text] ?? [];
    const none = said["npm test *"] as RulePreview;
    const problem = this.wrong(draft);
    if (also.length === 0) return said[text] ?? { ...none, problem };
    return { ...none, problem, also };
  }

  /** What the host refuses a rule for, where it does. Some can be saved all the same, as broad ones. */
  private wrong({ text, broad: confirmed }: RuleDraft): string | null {
    const found = lists(this.now)["rules.preview"][text.trim()]?.problem ?? null;
    if (broad[text.trim()] === undefined) return found;
    const would = `"${text.trim()}" would allow every program that it can start: name that program, confine the rule to the project, or save it as a broad rule`;
    return confirmed ? null : (found ?? would);
  }

  export(agent: string | null | undefined): RuleFile {
    const own = this.list(agent, true).filter(({ rule: one }) => one.source.kind !== "skill");
    return {
      version: 1,
      rules: own.map(({ rule: one, text }) => ({ effect: one.effect, agent: one.agent, text })),
    };
  }

  import(file: RuleFile, agent: string | null | undefined, save: boolean) {
    const added: RuleRow[] = [];
    const refused: { text: string; why: string }[] = [];
    let same = 0;
    for (const written of file.rules) {
      const draft = { ...written, agent: agent ?? written.agent };
      if (this.rows.some((row) => row.text === draft.text && row.rule.agent === (draft.agent ?? null)))
        same += 1;
      else {
        try {
          added.push(this.fromDraft((this.made += 1), draft));
        } catch (error) {
          refused.push({ text: draft.text, why: String((error as Error).message) });
        }
      }
    }
    if (save) this.rows = [...added, ...this.rows];
    if (save) this.tell();
    return { added, count: added.length, same, refused };
  }

  private fromRule(of: Rule): RuleRow {
    const known = this.rows.find((row) => row.rule.id === of.id);
    const text =
      of.pattern.kind === "path" || of.pattern.kind === "command" ? of.pattern.value : (known?.text ?? "");
    const like = rule(of.id, this.now, { pattern: of.pattern, text });
    const shown = known?.shown ?? like.shown;
    const { remarks = [], from = "you" } = known ?? {};
    return { ...like, shown, lastPath: of.usage.lastPath, why: of.why, remarks, from, rule: of };
  }

  private fromDraft(id: number, draft: RuleDraft): RuleRow {
    const text = draft.text.trim();
    const problem = this.wrong(draft);
    if (problem) throw new Error(problem);
    const kind = draft.kind ?? (/[/~]/.test(text) ? "path" : "command");
    const pattern: Pattern = kind === "path" ? { kind, value: text } : { kind: "command", value: text };
    const made = rule(id, this.now, {
      pattern,
      text,
      effect: draft.effect,
      agent: draft.agent ?? null,
      pinned: draft.pin ?? false,
      confine: draft.confine ?? undefined,
      lifetime: draft.lifetime ?? { kind: "forever" },
      why: draft.why ?? null,
      remarks: draft.broad ? [{ kind: "broad", text: "broad" }] : [],
    });
    return { ...made, rule: { ...made.rule, broad: draft.broad } };
  }
}

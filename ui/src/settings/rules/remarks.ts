// What the host remarks on a rule, and how a click fixes it.

import type { RemarkKind, RuleDraft, RuleRow } from "../../contract";
import { words } from "../words";
import { draftOf, fixed } from "./list";

type Trouble = keyof typeof words.rules.remarks;

/** A remark: its kind if a click fixes it, and the host's words. */
export interface Remark {
  kind: Trouble | null;
  text: string;
}

const isTrouble = (kind: RemarkKind): kind is Trouble => kind in words.rules.remarks;

/** @param named  a rule's pattern by its number: where it is known, a remark names the rule by it */
export function remarksOf(row: RuleRow, named?: (id: number) => string | undefined): Remark[] {
  return row.remarks
    .filter(({ kind }) => kind !== "read-only")
    .map(({ kind, text, by }) => {
      const other = by == null ? undefined : named?.(by);
      return {
        kind: isTrouble(kind) ? kind : null,
        text: other === undefined ? text : words.rules.coveredBy(other),
      };
    });
}

/** What a click on a remark does: it goes, it is bound to the program as it is now, or it is narrowed in the editor. */
type RemarkFix = "remove" | "repin" | "narrow";

export function fixOf(kind: Trouble): RemarkFix {
  if (kind === "too-broad") return "narrow";
  return kind === "changed" ? "repin" : "remove";
}

/** A rule that is too broad, narrowed to the one program that it was used for, as far as that is known. */
export function narrowed(row: RuleRow): RuleDraft {
  const draft = draftOf(row.rule, row.text);
  const { lastPath } = row.rule.usage;
  return lastPath && lastPath.startsWith("/") ? { ...draft, text: lastPath, kind: "path", pin: true } : draft;
}

/** The kinds of remark after which a rule may go, in the order in which they are offered. */
export const idle = ["covered", "expired", "not-found", "unused"] as const;

/** Rules that may go, each under the first of its remarks. */
export function untidy(rows: RuleRow[]): { kind: (typeof idle)[number]; rows: RuleRow[] }[] {
  const groups = idle.map((kind) => ({ kind, rows: [] as RuleRow[] }));
  for (const row of rows) {
    if (fixed(row)) continue;
    const kinds = new Set(remarksOf(row).map((remark) => remark.kind));
    // A deny rule that was never needed is not idle: it waits for its day.
    const group = groups.find(
      ({ kind }) => kinds.has(kind) && !(kind === "unused" && row.rule.effect === "deny"),
    );
    group?.rows.push(row);
  }
  return groups.filter((group) => group.rows.length > 0);
}

// What is done to rules from a table, with its undo.

import type { RuleRow } from "../../contract";
import type { State } from "../state.svelte";
import { words } from "../words";
import { draftOf, fixed, shownText } from "./list";

/** Removes those that can be removed here. */
export async function remove(app: State, gone: RuleRow[]) {
  const rules = gone.filter((row) => !fixed(row)).map((row) => row.rule);
  const first = gone[0];
  if (rules.length === 0 || !first) return;
  const done = await app.try("rules.put", { remove: rules.map((rule) => rule.id) });
  if (done) app.changes.note(words.rules.did.remove(rules.length, shownText(first)), rules, []);
}

/** Binds a rule to its program as it is now. */
export async function repin(app: State, row: RuleRow) {
  const rule = draftOf(row.rule, row.text);
  const done = await app.try("rules.update", { id: row.rule.id, rule, keepPin: false });
  if (done) app.changes.note(words.rules.did.fix(shownText(row)), [row.rule], [done.rule]);
}

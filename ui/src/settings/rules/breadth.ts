// How much a rule could cover, by its words: not what it was used for.

import type { Rule, RuleRow } from "../../contract";
import { words } from "../words";

/** From one command to many programs. */
export type Breadth = 1 | 2 | 3 | 4;
export const WIDEST = 4;

const open = (text: string) => /[*?[]/.test(text);

/** What a rule about files reaches: a file, a folder, all below it, or nearly everything. */
function ofFiles(pattern: string): Breadth {
  if (!open(pattern)) return 1;
  const named = pattern.split("/").filter((part) => part !== "" && part !== "~" && !open(part));
  if (named.length === 0) return 4;
  return pattern.includes("**") ? 3 : 2;
}

/** What the words of a command reach. A tool has a colon before what it works on. */
function ofCommand(text: string): Breadth {
  const [program = "", ...rest] = text.trim().split(/\s+/);
  if (open(program)) return 4;
  if (!rest.some(open)) return 1;
  return open(rest[0] ?? "") && !/[^*]/.test(rest.join("")) ? 3 : 2;
}

function ofProgram(path: string, args: string[] | null): Breadth {
  if (open(path)) return 4;
  if (args === null) return 3;
  return args.some(open) ? 2 : 1;
}

function ofWords({ pattern, args }: Rule): Breadth {
  switch (pattern.kind) {
    case "exact":
      return 1;
    case "command":
      return ofCommand([pattern.value, ...(args ?? [])].join(" "));
    case "path":
      return ofProgram(pattern.value, args);
    case "identity":
      return args === null ? 3 : ofProgram("", args);
    case "read":
    case "write":
      return ofFiles(pattern.value);
  }
}

/** How much a rule could cover. What was confirmed or remarked to be broad is. */
export function breadthOf({ rule, remarks }: RuleRow): Breadth {
  const broad = rule.broad === true || remarks.some(({ kind }) => kind === "broad" || kind === "too-broad");
  if (broad) return 4;
  const reach = ofWords(rule);
  // It does nothing beyond what was shown when it was saved.
  return rule.limits && reach > 2 ? 2 : reach;
}

/** The same in words, with what narrows it besides. */
export function breadthText(row: RuleRow): string {
  const { rule } = row;
  const said = words.rules.breadth;
  const files = rule.pattern.kind === "read" || rule.pattern.kind === "write";
  const levels = files ? said.files : rule.broad ? said.broad : said.commands;
  const parts = [levels[breadthOf(row) - 1], row.place && said.placed, rule.confine && words.rules.confined];
  return parts.filter(Boolean).join(", ");
}

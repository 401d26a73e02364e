// What a word of a rule stands for, where the page can tell: from the word itself, from the question, or from git's order of
// words. A name in a wrong place would say that a rule allows less than it does: in doubt there is none.

import type { Question } from "../contract";
import { exact } from "./shown";

export type Meaning = "address" | "branch" | "folder" | "path" | "remote";

/** Verbs of git with a remote and then branches. */
const TO_REMOTE = ["push", "pull", "fetch"];
/** Their options that take no word of their own. */
const FLAGS =
  /^(-[fnquv]+|--(all|atomic|delete|dry-run|force|prune|quiet|rebase|set-upstream|tags|verbose)|--[\w-]+=.*)$/;

/** Returns what the word at this place stands for. */
export function meaningOf(
  tokens: string[],
  at: number,
  question: Pick<Question, "cwd" | "branch">,
): Meaning | null {
  const word = tokens[at] ?? "";
  if (/^[a-z][a-z0-9+.-]*:\/\/./i.test(word) || /^[\w.-]+@[\w.-]+:./.test(word)) return "address";
  if (/^(\.\.?|~)$|^(~|\.{1,2}|[\w.-]{2,})?\/([\w@+.-]+\/)*$/.test(word) || word === exact(question.cwd))
    return "folder";
  if (/^(~|\.{0,2})\//.test(word)) return "path";
  const place = inGit(tokens, at);
  if (place !== null) return place === 0 ? "remote" : "branch";
  // A branch has slashes as a path has: what the repository is on is one.
  if (word !== "" && question.branch && word === exact(question.branch)) return "branch";
  // One letter before the first slash may be an expression of sed.
  return /^[\w@+.-]{2,}(\/[\w@+.-]+)*\/[\w@+-]*\.\w+$/.test(word) ? "path" : null;
}

/** Returns which of git's operands after its verb the word is, where every word before it is known. */
function inGit([program, verb, ...rest]: string[], at: number): number | null {
  if (program !== "git" || !TO_REMOTE.includes(verb ?? "")) return null;
  const before = rest.slice(0, at - 2);
  const word = rest[at - 2] ?? "";
  if (word === "" || [word, ...before].some((one) => one.startsWith("-") && !FLAGS.test(one))) return null;
  return word.startsWith("-") ? null : before.filter((one) => !one.startsWith("-")).length;
}

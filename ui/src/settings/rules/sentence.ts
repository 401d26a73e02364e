// A rule as a sentence: what it does to what. Its pattern, which is exact, stands below it.

import type { Piece, RuleRow } from "../../contract";
import { words } from "../words";

interface Sentence {
  before: string;
  /** The part that comes from the pattern, ready to be shown. */
  pieces: Piece[];
  after: string;
}

const said = words.rules.sentence;

/** The pieces without this ending; null where they do not end so. */
function without(pieces: Piece[], ending: string): Piece[] | null {
  const last = pieces.at(-1);
  if (!last || last.kind === "escaped" || !last.text.endsWith(ending)) return null;
  const text = last.text.slice(0, -ending.length);
  return [...pieces.slice(0, -1), { ...last, text }];
}

/** What follows the last slash: the name of a program by its path. */
function nameOf(pieces: Piece[]): Piece[] {
  const at = pieces.findLastIndex(({ kind, text }) => kind !== "escaped" && text.includes("/"));
  const piece = pieces[at];
  if (!piece) return pieces;
  const text = piece.text.slice(piece.text.lastIndexOf("/") + 1);
  const rest = [...(text === "" ? [] : [{ ...piece, text }]), ...pieces.slice(at + 1)];
  return rest.length > 0 ? rest : pieces;
}

export function sentenceOf({ rule, shown }: RuleRow): Sentence {
  const before = said.does[rule.effect];
  const all = shown.map(({ text }) => text).join("");
  if (all === "*") return { before, pieces: [], after: said.everything };
  switch (rule.pattern.kind) {
    case "read":
    case "write":
      return { before: said.files[rule.effect], pieces: shown, after: "" };
    case "exact":
      return { before, pieces: shown, after: said.exactly };
    case "path":
    case "identity": {
      const below = without(shown, "/**");
      if (below) return { before, pieces: below, after: said.below };
      const within = without(shown, "/*");
      if (within) return { before, pieces: within, after: said.within };
      if (all.includes("*")) return { before, pieces: shown, after: "" };
      return {
        before,
        pieces: nameOf(shown),
        after: rule.args === null ? said.anyArguments : said.someArguments,
      };
    }
    case "command": {
      // A tool has a colon before what it works on.
      const open = without(shown, ": *") ?? without(shown, " **") ?? without(shown, " *");
      return open ? { before, pieces: open, after: said.anyArguments } : { before, pieces: shown, after: "" };
    }
  }
}

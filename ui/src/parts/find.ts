// Finding text in output, across its colours.

import type { Run } from "./terminal";

/** A stretch of a run; `hit` is the number of what was found there, from 1, and 0 elsewhere. */
export interface Found extends Run {
  hit: number;
}

/** Cuts runs at what is searched for, in either case. Escapes are not searched. */
export function find(runs: Run[], search: string): Found[] {
  if (search.trim() === "") return runs.map((run) => ({ ...run, hit: 0 }));
  const all = runs.map(({ text, escaped }) => (escaped ? "\0".repeat(text.length) : text)).join("");
  const pattern = new RegExp(search.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "gi");
  const hits = [...all.matchAll(pattern)].map(({ index }) => ({ from: index, to: index + search.length }));
  const found: Found[] = [];
  let next = 0;
  let end = 0;
  for (const run of runs) {
    const start = end;
    end += run.text.length;
    for (let at = start; at < end;) {
      while (hits[next] && (hits[next]?.to ?? 0) <= at) next += 1;
      const { from, to } = hits[next] ?? { from: Infinity, to: Infinity };
      const until = Math.min(end, from > at ? from : to);
      found.push({ ...run, text: run.text.slice(at - start, until - start), hit: from > at ? 0 : next + 1 });
      at = until;
    }
  }
  return found;
}

// Requests for the fake backend: those that a host recorded, and as many more like them as are wanted, each made when it is
// asked for.

import type { RequestDetail, RuleOffers } from "../contract";
import { DAY, HOUR, lists, MINUTE, raise } from "./sample-lists";

/** How long ago each came in, newest first. */
const AGO = [10_000, 40_000, 2, 9, 12, 20, 21, 22, 60, 180, 300, 540, 1440].map((ago, nth) =>
  nth < 2 ? ago : ago * MINUTE,
);

/** A recorded request, as if it had come in then. */
function moved(detail: RequestDetail, at: number): RequestDetail {
  const by = at - detail.row.at;
  const timeline = detail.timeline.map((moment) => ({ ...moment, at: moment.at + by }));
  return { ...detail, timeline, row: { ...detail.row, at } };
}

export const samples = (now: number): RequestDetail[] =>
  lists(now).requests.map(({ detail }, nth) => moved(detail, now - (AGO[nth] ?? DAY + nth * HOUR)));

/** What could be saved for a request: like the recorded one that it is made of. */
export function offersFor(of: RequestDetail, now: number): RuleOffers {
  const like = ({ detail }: { detail: RequestDetail }) =>
    detail.digest === of.digest && detail.row.line === of.row.line;
  const found = lists(now).requests.find(like);
  return found?.offers ?? raise();
}

/** The numbers of requests that are made here go down from this one. */
const NEWEST = 800_000_000;
const idOf = (n: number) => `0199a1c0-0000-7000-8000-${String(n).padStart(12, "0")}`;

const verbs = ["git log --oneline", "rg -n error src", "npm run build", "cargo test -p crate", "ls -l dist"];

/** What a long history is made of. */
export const ended = (now: number): RequestDetail[] =>
  samples(now).filter(({ row }) => row.state === "finished" || row.state === "denied");

/** The nth of a long history. */
export function older(ended: RequestDetail[], nth: number, now: number): RequestDetail {
  const kind = ended[nth % ended.length] ?? raise();
  const line = `${verbs[nth % verbs.length]} --number ${nth}`;
  const made = moved(kind, now - 2 * DAY - nth * 20_000);
  return {
    ...made,
    command: [{ text: line, kind: "plain" }],
    row: { ...made.row, id: idOf(NEWEST - nth), requestId: idOf(nth), line },
  };
}

/** Which of a long history this is. */
export const nthOf = (id: string): number => NEWEST - Number(id.slice(-12));

/** A running command as it is the next time that it is looked at: it wrote more. */
export function grown(of: RequestDetail, looks: number): RequestDetail {
  if (of.row.state !== "running" || of.stdout === null) return of;
  const lines = of.stdout.trimEnd().split("\n");
  const last = lines.at(-1) ?? "";
  const more = Array.from({ length: 3 * looks }, (_, i) =>
    last.replaceAll(String(lines.length), String(lines.length + i + 1)),
  );
  return { ...of, stdout: `${[...lines, ...more].join("\n")}\n` };
}

/** The recorded history with an attack in every field of it. */
export function hostile(now: number): RequestDetail[] {
  const attacks = lists(now).hostile.requests;
  return samples(now).map((like, nth) => {
    const attack = attacks[nth % attacks.length] ?? raise();
    const feedback = attacks.find((one) => one.feedback)?.feedback ?? null;
    const made = moved(attack, like.row.at);
    return { ...made, feedback, row: { ...made.row, id: like.row.id } };
  });
}

// What a hostile agent would have in every field, as the app hands it over: escaped.

import type { Piece, RequestDetail, RequestRow, RuleRow } from "../contract";
import { rule } from "./sample-lists";
import { detail, samples } from "./sample-history";

const LONG = "A".repeat(3000);
/** Markup, an override of direction, a letter of no width, a colour of the terminal, a line's end, and a long tail. */
export const hostileLine = `echo '<img src=x onerror=alert(1)>' \\u{202e}txt.exe \\u{200b} \\u{1b}[31m red \\n ${LONG} the-very-end`;

const pieces: Piece[] = [
  { text: "echo '<img src=x onerror=alert(1)>' ", escaped: false },
  { text: "\\u{202e}", escaped: true },
  { text: "txt.exe ", escaped: false },
  { text: "\\u{200b}", escaped: true },
  { text: " ", escaped: false },
  { text: "\\u{1b}", escaped: true },
  { text: `[31m red ${LONG} the-very-end`, escaped: false },
];

export function hostileRules(now: number): RuleRow[] {
  const raw = `echo '<img src=x onerror=alert(1)>' \u202etxt.exe \u200b \u001b[31m red ${LONG} the-very-end`;
  return [
    rule(900, now, {
      pattern: { kind: "exact", value: [raw] },
      text: raw,
      shown: pieces,
      from: "skill \\u{202e}<b>bird</b>",
      source: { kind: "skill", name: "bird" },
      used: 1000,
      count: 1_234_567_890,
      command: hostileLine,
      path: `/tmp/\\u{202e}${LONG}`,
      version: "<script>1</script>",
      why: "<i>trust me</i> \\u{2066}",
      remarks: ["<b>covered</b> \\u{202e}", "too broad"],
    }),
  ];
}

export function hostileRows(now: number): RequestRow[] {
  return samples(now).map((row) => ({
    ...row,
    line: hostileLine,
    session: "\\u{202e}<b>session</b>",
    by: "<b>you</b>",
    ending: row.ending === null ? null : "<b>ending</b>",
  }));
}

export function hostileDetail(of: RequestRow): RequestDetail {
  const plain = detail(of, 0);
  return {
    ...plain,
    command: pieces,
    asked: hostileLine,
    cwd: `/tmp/<b>\\u{202e}${LONG}`,
    env: [["<b>NAME</b>", hostileLine]],
    message: `No rule for \`${hostileLine}\`.`,
    says: hostileLine,
    feedback: hostileLine,
    digest: "a".repeat(64),
    rule: { id: 900, effect: "deny", pattern: hostileLine, source: "<b>you</b>", why: hostileLine },
    trace: [{ stage: "<b>stage</b>", found: hostileLine }],
    timeline: [{ at: of.at, what: hostileLine }],
    stdout: `${hostileLine}\n<img src=x onerror=alert(1)>\n`,
    stderr: hostileLine,
  };
}

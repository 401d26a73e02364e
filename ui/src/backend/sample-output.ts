// Requests whose output is in colours, draws over itself or attacks, and a command of several lines: as a host escapes them.

import type { BodyLines, Piece, RequestDetail } from "../contract";
import { piecesOf } from "../parts/escaped";
import { raise } from "./sample-lists";

const ESC = "\\u{1b}";

const TESTS = `
> site@1.0.0 test
> vitest run

${ESC}[1m${ESC}[30m${ESC}[46m RUN ${ESC}[49m${ESC}[39m${ESC}[22m ${ESC}[36mv4.1.12 ${ESC}[39m${ESC}[90m/Users/kim/Projects/site${ESC}[39m

 ${ESC}[32mok${ESC}[39m src/cart.test.ts ${ESC}[2m(${ESC}[22m${ESC}[2m14 tests${ESC}[22m${ESC}[2m)${ESC}[22m ${ESC}[33m381${ESC}[2mms${ESC}[22m${ESC}[39m
 ${ESC}[31mfailed${ESC}[39m src/login.test.ts ${ESC}[2m(${ESC}[22m${ESC}[2m2 tests${ESC}[22m | ${ESC}[31m1 failed${ESC}[39m${ESC}[2m)${ESC}[22m
   ${ESC}[38;5;208mexpected${ESC}[0m ${ESC}[3m"signed in"${ESC}[23m, ${ESC}[38;2;90;120;255mreceived${ESC}[0m ${ESC}[3m"signed out"${ESC}[23m
   at ${ESC}[4msrc/login.test.ts:21${ESC}[24m in ${ESC}[35mTest.run${ESC}[39m

${ESC}[41m${ESC}[1m${ESC}[37m FAIL ${ESC}[0m ${ESC}[7m Tests ${ESC}[27m ${ESC}[1m${ESC}[31m1 failed${ESC}[39m${ESC}[22m${ESC}[2m | ${ESC}[22m${ESC}[1m${ESC}[32m15 passed${ESC}[39m${ESC}[22m
`;

const percents = [0, 20, 40, 60, 80, 100];
const PROGRESS = `${percents.map((n) => `\\r${ESC}[Kinstalling ${"#".repeat(n / 5)} ${n}%`).join("")}
linking ...\\u{8}\\u{8}\\u{8}done
${ESC}[2mone${ESC}[22m waits
${ESC}[2mtwo${ESC}[22m waits
${ESC}[2A${ESC}[K${ESC}[2mone${ESC}[22m is ready
${ESC}[K${ESC}[2mtwo${ESC}[22m is ready
`;

const HOSTILE = `${ESC}]0;rm -rf ~\\u{7}before ${ESC}]8;;https://evil.example\\u{7}a link${ESC}]8;;\\u{7}
${ESC}[8mnot hidden${ESC}[0m ${ESC}[30;40mnot black on black${ESC}[0m
${ESC}]52;c;cm0gLXJmIH4=\\u{7} txt.\\u{202e}exe\\u{200b} ${ESC}[5;1z <img src=x onerror=alert(1)>
${ESC}[1A${ESC}[99999C${ESC}[2Jafter
`;

const MESSAGE = Array.from({ length: 14 }, (_, i) => `What it changes, line ${i + 1}`).join("\\n");
/** The lines of the message in the commit. */
const MESSAGES: BodyLines[] = [{ first: 2, count: 14 }];
const COMMIT = `git add -A\\ngit commit -m "$(cat <<'EOF'\\n${MESSAGE}\\nEOF\\n)"\\ngit log \\\\u{202e} \\u{202e}`;

/** A token that never was one, as the host would leave it out. */
const TOKEN = "ghp_a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ";

/** In place of a secret. */
const MARK = "••••";

/** What the host would give without the secrets: of the samples, their one token. */
export function hidden<T>(of: T): { shown: T; redacted: boolean } {
  const whole = JSON.stringify(of);
  const redacted = whole.includes(TOKEN);
  const text = whole.replaceAll(TOKEN, `ghp_${MARK}`);
  const cut = (_: string, value: unknown) => (Array.isArray(value) ? value.flatMap(apart) : value);
  return { shown: redacted ? (JSON.parse(text, cut) as T) : of, redacted };
}

/** A piece with a mark in place of a secret, as the host sends it: the mark is a piece of its own. */
function apart(one: unknown): unknown[] {
  const piece = one as Piece | null;
  if (!piece?.kind || typeof piece.text !== "string" || !piece.text.includes(MARK)) return [one];
  const parts = piece.text.split(/(••••)/).filter((text) => text !== "");
  return parts.map((text) => ({ text, kind: text === MARK ? "secret" : piece.kind }));
}

const all: { line: string; stdout: string; bodies?: BodyLines[] }[] = [
  { line: `gh auth status --token ${TOKEN}`, stdout: `github.com\n  Logged in as kim\n  Token: ${TOKEN}\n` },
  { line: "npm test", stdout: TESTS },
  { line: "npm ci", stdout: PROGRESS },
  { line: "./colours.sh", stdout: HOSTILE },
  { line: COMMIT, bodies: MESSAGES, stdout: "[main 1a2b3c4] What it changes\n" },
];

/** Each like the first that ended with output. */
export function outputs(like: RequestDetail[]): RequestDetail[] {
  const ended = like.find(({ row, stdout }) => row.state === "finished" && stdout !== null) ?? raise();
  return all.map(({ line, stdout, bodies }, nth) => {
    const id = `0199a1c0-0000-7000-8000-70000000000${8 - nth}`;
    return { ...ended, command: piecesOf(line), bodies, stdout, row: { ...ended.row, id, line } };
  });
}

import { expect, it } from "vitest";
import type { CommandPart, Piece } from "../contract";
import { push } from "../backend/samples";
import { plain, rawJson, rowsOf, wordsOf } from "./shown";

const part = (role: CommandPart["role"], step: number | null, text: string): CommandPart => ({
  role,
  step,
  text: [{ text, kind: "plain" }],
});
const lines = (command: CommandPart[]) =>
  rowsOf(command).map((row) => [row.step, row.parts.map((one) => plain(one.text)).join("")]);

it("each step has a line of its own, with the operator behind it", () => {
  const command = [
    part("program", 0, "a"),
    part("argument", 0, " b"),
    part("operator", null, " && "),
    part("program", 1, "c"),
    part("operator", null, " | "),
    part("program", 2, "d"),
  ];
  expect(lines(command)).toEqual([
    [0, "a b && "],
    [1, "c | "],
    [2, "d"],
  ]);
});

it("what belongs to no step stays where it stands, and is not marked", () => {
  const command = [
    part("argument", null, "for x in 1 2"),
    part("operator", null, "; "),
    part("argument", null, "do "),
    part("program", 0, "echo"),
    part("argument", 0, " $x"),
    part("operator", null, ";"),
    part("argument", null, " done"),
  ];
  expect(lines(command)).toEqual([
    [null, "for x in 1 2; "],
    [0, "do echo $x;"],
    [null, "done"],
  ]);
});

it("a step that goes on after another one inside it is marked once, and no line begins with an end", () => {
  const command: CommandPart[] = [
    part("program", 0, "git"),
    part("argument", 0, " commit -m $("),
    part("program", 1, "cat"),
    {
      role: "argument",
      step: 0,
      text: [
        { text: "\\n", kind: "escaped" },
        { text: ")", kind: "plain" },
      ],
    },
  ];
  expect(rowsOf(command).map(({ step, again }) => [step, again])).toEqual([
    [0, false],
    [1, false],
    [0, true],
  ]);
  expect(lines(command).map(([, line]) => line)).toEqual(["git commit -m $(", "cat\\n", ")"]);
});

it("no text is lost but a space at the begin of a line, however the parts come", () => {
  const roles = ["program", "argument", "operator"] as const;
  let seed = 7;
  const next = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  for (let round = 0; round < 500; round++) {
    const command = Array.from({ length: next(12) }, () => {
      const role = roles[next(3)] ?? "argument";
      return part(
        role,
        role === "operator" || next(4) === 0 ? null : next(3),
        [" x", "y", "  z "][next(3)] ?? "",
      );
    });
    const before = command.map((one) => plain(one.text)).join("");
    const after = lines(command).map(([, line]) => line);
    expect(after.join("").replaceAll(" ", "")).toBe(before.replaceAll(" ", ""));
    expect(before.length - after.join("").length).toBeLessThanOrEqual(Math.max(0, after.length - 1));
  }
});

it("a line's end is marked and begins a line; long words may break", () => {
  const pieces: Piece[] = [
    { text: "a b", kind: "plain" },
    { text: "\\n", kind: "escaped" },
    { text: "x".repeat(60), kind: "plain" },
  ];
  expect(wordsOf(pieces).map(({ pieces, keep, mark }) => [plain(pieces), keep, mark])).toEqual([
    ["a", true, undefined],
    [" ", false, undefined],
    ["b", true, undefined],
    ["\\n", false, "end"],
    ["x".repeat(60), false, undefined],
  ]);
});

it("the raw JSON is visible ASCII, and reads back as the question", () => {
  const question = { ...push(), line: "a\u202eb\u0007é\u{1f600}" };
  const raw = rawJson(question);
  expect(raw).toMatch(/^[\n -~]*$/);
  expect(JSON.parse(raw)).toEqual(question);
});

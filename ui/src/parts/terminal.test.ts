import { describe, expect, it } from "vitest";
import { piecesOf } from "./escaped";
import { terminal, type Run } from "./terminal";

/** The escapes that the host writes for what a program wrote: as much of them as these tests need. */
const host = (wrote: string) =>
  wrote
    .replaceAll("\\", "\\\\")
    .replaceAll("\r", "\\r")

    .replace(
      /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g,
      (c) => `\\u{${c.charCodeAt(0).toString(16)}}`,
    );
const shown = (wrote: string) => terminal(host(wrote));
const text = (runs: Run[]) => runs.map((run) => run.text).join("");
const escapes = (runs: Run[]) => runs.filter((run) => run.escaped).map((run) => run.text);

describe("colours and styles", () => {
  it.each([
    ["\x1b[31mred", { fg: "red" }],
    ["\x1b[1;4;92mpassed", { bold: true, underline: true, fg: "green" }],
    ["\x1b[38;5;208morange", { fg: "yellow" }],
    ["\x1b[38;2;20;40;250mtrue", { fg: "blue" }],
    ["\x1b[38:2::20:200:210mcolon", { fg: "cyan" }],
    ["\x1b[48;5;196;1mground", { bg: "red", bold: true }],
    ["\x1b[30;40mblack on black", { fg: undefined, bg: "gray" }],
    ["\x1b[8mconcealed", {}],
    ["\x1b[2;3;7;9mall", { dim: true, italic: true, inverse: true, strike: true }],
  ])("%j", (wrote, style) => {
    const [run, ...rest] = shown(wrote);
    expect(rest).toEqual([]);
    expect(run?.style).toEqual(style);
    expect(run?.text).not.toMatch(/[[;]/);
  });

  it("end where they end", () => {
    const runs = shown("a\x1b[31mb\x1b[0mc\x1b[1md\x1b[22me\x1b[m");
    expect(runs.map(({ text, style }) => [text, style])).toEqual([
      ["a", {}],
      ["b", { fg: "red" }],
      ["c", {}],
      ["d", { bold: true }],
      ["e", { bold: false, dim: false }],
    ]);
  });
});

describe("what is written over", () => {
  it.each([
    ["a progress bar ends as its last state", "10%\r 50%\r100%\ndone", "100%\ndone"],
    ["a shorter line leaves the end of a longer one, as in a terminal", "working\rdone", "doneing"],
    ["a line is erased", "working\r\x1b[Kdone", "done"],
    ["a line is erased from anywhere in it", "working\x1b[2K\rdone", "done"],
    ["its beginning is erased", "working\x1b[3D\x1b[1Kx", "    xng"],
    ["backspace", "passwort\bd", "password"],
    ["the line above", "one\ntwo\x1b[1A\r1st\n2nd", "1st\n2nd"],
    ["several lines, as a build draws them", "a 1\nb 1\n\x1b[2A\x1b[Ka 2\n\x1b[Kb 2\n", "a 2\nb 2\n"],
    ["all below", "a\nb\nc\x1b[2A\x1b[J", "a"],
    ["a column that is named", "ok\x1b[8Gdone", "ok     done"],
    ["never above the first line", "a\x1b[99A\rb", "b"],
    [
      "a screen that is cleared leaves what was on it",
      "one\x1b[2J\x1b[Htwo\x1b[2;1Hthree",
      "one\ntwo\nthree",
    ],
    [
      "a title, a link and a bell are silent",
      "\x1b]0;title\x07a\x1b]8;;https://x.example\x1b\\link\x1b]8;;\x1b\\\x07",
      "alink",
    ],
    ["a cursor that is hidden, a second screen", "\x1b[?25la\x1b[?1049h\x1b[?2004l", "a"],
    ["a backslash and a tab are themselves", "C:\\new\\u{1b}\tx", "C:\\new\\u{1b}\tx"],
  ])("%s", (_, wrote, left) => {
    expect(text(shown(wrote))).toBe(left);
    expect(escapes(shown(wrote))).toEqual([]);
  });
});

describe("what is hostile or not known", () => {
  it.each([
    ["bidi and zero width", "a\u202eb\u200bc", ["\\u{202e}", "\\u{200b}"]],
    ["a sequence that nobody knows", "\x1b[5zx", ["\\u{1b}"]],
    ["the clipboard", "\x1b]52;c;cm0gLXJmIH4=\x07", ["\\u{1b}"]],
    ["a title that does not end hides nothing", "\x1b]0;title\nrm -rf", ["\\u{1b}"]],
    ["a sequence that does not end", "\x1b[31", ["\\u{1b}"]],
    ["sequences of one byte", "\x9b31mx", ["\\u{9b}"]],
  ])("%s", (_, wrote, escaped) => {
    expect(escapes(shown(wrote))).toEqual(escaped);
    expect(text(shown(wrote))).toContain(wrote.replace(/.*[^ -~]/su, ""));
  });

  it("half of a word is not taken for another word", () => {
    expect(text(terminal("іж\\u{8}t")), "Ukrainian, and a t over its second letter").toBe("\\u{456}t");
    expect(text(terminal("іа\\r\\u{1b}[1C\\u{1b}[K"))).toBe("\\u{456}");
    expect(text(terminal("10% привет\\r20% привет"))).toBe("20% привет");
    expect(text(terminal("при\\u{1b}[31mвет")), "a word in two colours is whole").toBe("привет");
  });

  it("what types itself as an escape is text", () => {
    expect(terminal("\\\\u{1b}[31mred")).toEqual([{ text: "\\u{1b}[31mred", style: {}, escaped: false }]);
  });
});

describe("whatever is written", () => {
  /** The same numbers in every run. */
  function* numbers(seed: number): Generator<number> {
    for (let at = seed; ;) {
      at = (Math.imul(at, 1664525) + 1013904223) >>> 0;
      yield at / 2 ** 32;
    }
  }
  const PARTS = [
    ..."abc 1;[]?mKJHABCDGP\\{}~\n\t",
    ...[
      "\x1b",
      "\x1b[",
      "\x1b]0;",
      "\x1b]8;;",
      "\x07",
      "\r",
      "\b",
      "\x9b",
      "\u202e",
      "\u200b",
      "é",
      "日",
      "і",
      "e\u0301",
    ],
    ...[
      "\x1b[31m",
      "\x1b[0m",
      "\x1b[K",
      "\x1b[2K",
      "\x1b[9999C",
      "\x1b[99999999B",
      "\x1b[9;9H",
      "\x1b[2A",
      "\x1b[2J",
    ],
    ...[
      "\x1b[38;5;9m",
      "\x1b[38;2;1m",
      "\x1b[:::m",
      "\x1b[99999999999999999999;99999999999999999999H",
      "\\u{1b}",
    ],
  ];
  const random = numbers(7);
  const next = () => random.next().value as number;
  const samples = Array.from({ length: 3000 }, () =>
    Array.from({ length: Math.floor(next() * 60) }, () => PARTS[Math.floor(next() * PARTS.length)]).join(""),
  );

  it("is bounded, and never makes a control character", () => {
    for (const wrote of samples) {
      const output = host(wrote);
      const runs = terminal(output);
      expect(text(runs).length, JSON.stringify(wrote)).toBeLessThanOrEqual(
        2 * output.length + 8 * wrote.length,
      );

      expect(text(runs), JSON.stringify(wrote)).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u200b\u202e]/);
      for (const run of runs)
        if (run.escaped) expect(run.text).toMatch(/^\\(u\{[0-9a-f]+\}|x[0-9a-f]{2}|[nrt])$/);
    }
  });

  it("keeps every character where nothing moves or erases", () => {
    for (const wrote of samples) {
      const calm = wrote.replace(/[\x1b\x07\x9b\r\b]/g, "");
      const pieces = piecesOf(host(calm)).map((piece) => piece.text);
      expect(text(terminal(host(calm)))).toBe(pieces.join(""));
    }
  });

  it("is read once, however long it is", () => {
    const long = host(
      "\x1b]0;".repeat(20_000) + "\x1b[9999C.".repeat(5000) + "ж".repeat(60_000) + "\x1b[".repeat(20_000),
    );
    expect(text(terminal(long)).length).toBeLessThan(3 * long.length);
  });
});

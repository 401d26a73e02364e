import { expect, it } from "vitest";
import { samples } from "../../backend/sample-history";
import { dayName, linesOf } from "./lines";

const NOON = new Date(2026, 2, 11, 12).getTime();
const HOUR = 3_600_000;

function row(id: string, line: string, ago: number, change = {}) {
  const like = samples(NOON).find((one) => one.row.state === "finished");
  if (!like) throw new Error("no sample");
  return { ...like.row, id, line, at: NOON - ago, ...change };
}

it("folds what is the same in a row, and begins each day with its name", () => {
  const rows = [
    row("1", "npm test", 1 * HOUR),
    row("2", "npm test", 2 * HOUR),
    row("3", "npm test", 3 * HOUR, { exitCode: 1 }),
    row("4", "npm test", 4 * HOUR, { agent: "research" }),
    row("5", "npm test", 20 * HOUR),
    row("6", "npm test", 21 * HOUR),
  ];
  const lines = linesOf(rows, NOON).map(({ ids, day }) => [ids.join(" "), day]);
  expect(lines).toEqual([
    ["1 2", "Today"],
    ["3", null],
    ["4", null],
    ["5 6", "Yesterday"],
  ]);
});

it("never folds what waits or runs: each is answered and stopped alone", () => {
  for (const state of ["asking", "running"]) {
    const rows = [row("1", "npm test", HOUR, { state }), row("2", "npm test", 2 * HOUR, { state })];
    expect(linesOf(rows, NOON)).toHaveLength(2);
  }
});

it("names older days with their date", () => {
  expect(dayName(new Date(2026, 2, 3, 9).getTime(), NOON)).toMatch(/Tuesday.*3|3.*Tuesday/);
  expect(dayName(new Date(2025, 2, 3, 9).getTime(), NOON)).toContain("2025");
});

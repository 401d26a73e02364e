import { describe, expect, it } from "vitest";
import { often, timeFor } from "./numbers";

describe("numbers as people say them", () => {
  it.each([
    [0, 30, "less than one a week"],
    [9, 30, "about 2 a week"],
    [30, 30, "about 1 a day"],
    [4000, 2, "about 2,000 a day"],
  ])("%i in %i days are %s", (count, days, text) => expect(often(count, days)).toBe(text));

  it.each([
    [3, "less than a minute"],
    [12, "about 1 minute"],
    [490, "about 41 minutes"],
    [2160, "about 3 hours"],
  ])("%i answers take %s", (answers, text) => expect(timeFor(answers)).toBe(text));
});

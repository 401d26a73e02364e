import { expect, it } from "vitest";
import { bytes } from "./amount";

it("counts data as macOS does", () => {
  expect([0, 999, 1000, 999_499, 999_600, 1_234_567, 123_456_789, 4_200_000_000].map(bytes)).toEqual([
    "0 bytes",
    "999 bytes",
    "1 kB",
    "999 kB",
    "1 MB",
    "1.2 MB",
    "123 MB",
    "4.2 GB",
  ]);
});

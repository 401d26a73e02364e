import { expect, test } from "vitest";
import { idOf } from "./id";

test("any name makes an id that the host takes", () => {
  for (const [name, id] of [
    ["My Claude", "my-claude"],
    ["builder", "builder"],
    ["Jürgen’s agent", "ju-rgen-s-agent"],
    ["../../evil", "evil"],
    ["…", "agent"],
    ["x".repeat(200), "x".repeat(60)],
  ])
    expect(idOf(name as string)).toBe(id);
});

test("an id is not taken twice", () => {
  expect(idOf("Builder", ["builder", "builder-2"])).toBe("builder-3");
  expect(idOf("a b", ["A-B"])).toBe("a-b-2");
});

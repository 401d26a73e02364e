import { expect, it } from "vitest";
import { newest } from "./newest";

it("lets no older answer take the place of a newer one", async () => {
  const taken: string[] = [];
  const hear = newest<string>((found) => taken.push(found));
  const answer: ((text: string) => void)[] = [];
  const all = [0, 1, 2].map(() => hear(new Promise((resolve) => answer.push(resolve))));
  answer[1]?.("second");
  await all[1];
  answer[0]?.("first");
  answer[2]?.("third");
  await Promise.all(all);
  expect(taken).toEqual(["second", "third"]);
});

it("goes on after one that failed", async () => {
  const taken: string[] = [];
  const hear = newest<string>((found) => taken.push(found));
  await hear(Promise.resolve(null));
  await hear(Promise.resolve("next"));
  expect(taken).toEqual(["next"]);
});

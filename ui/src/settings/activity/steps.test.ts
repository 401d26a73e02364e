import { render, screen } from "@testing-library/svelte";
import { expect, it } from "vitest";
import type { ShownStep } from "../../contract";
import RequestSteps from "./RequestSteps.svelte";

const step = (text: string, decision: ShownStep["decision"], dangerous = false): ShownStep => ({
  argv: null,
  text,
  program: null,
  path: null,
  decision,
  dangerous,
  reason: "rule",
  why: [],
  rule: null,
  span: [0, 0],
});

it("each step of a request has the mark that its question has", () => {
  const steps = [step("ls", "allow"), step("git push", "ask"), step("rm -rf x", "ask", true)];
  render(RequestSteps, { steps: [...steps, step("a\\u{202e}", "deny", true)] });
  const shown = screen.getAllByRole("listitem").map((item) => item.textContent.replace(/\s+/g, " ").trim());
  expect(shown).toEqual(["✓ allowed: ls", "● asks: git push", "■ dangerous: rm -rf x", "✕ denied: aU+202E"]);
});

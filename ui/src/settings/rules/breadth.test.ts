// How much a rule could cover.

import { render, screen } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { Pattern, Rule, RuleRow } from "../../contract";
import { rules } from "../../backend/sample-lists";
import { breadthOf, breadthText } from "./breadth";
import BreadthMeter from "./BreadthMeter.svelte";

const [like] = rules(Date.now());
if (!like) throw new Error("no sample");

const row = (pattern: Pattern, rule: Partial<Rule> = {}, more: Partial<RuleRow> = {}): RuleRow => ({
  ...like,
  remarks: [],
  ...more,
  rule: { ...like.rule, pattern, ...rule },
});
const command = (value: string): Pattern => ({ kind: "command", value });
const path = (value: string): Pattern => ({ kind: "path", value });

describe("the breadth of a rule", () => {
  it.each<[Pattern, Partial<Rule>, number]>([
    [{ kind: "exact", value: ["git", "push", "*"] }, {}, 1],
    [command("npm run build"), {}, 1],
    [command("git push *"), {}, 2],
    [command("git push origin *"), {}, 2],
    [command("git * --dry-run"), {}, 2],
    [command("git *"), {}, 3],
    [command("git **"), {}, 3],
    [command("*"), {}, 4],
    [command("git*"), {}, 4],
    [command("read_file: *"), {}, 3],
    [path("/usr/bin/uname"), {}, 3],
    [path("/usr/bin/uname"), { args: ["-s"] }, 1],
    [path("/usr/bin/uname"), { args: ["-*"] }, 2],
    [path("/usr/bin/*"), {}, 4],
    [path("~/.local/bin/**"), { args: ["-s"] }, 4],
    [{ kind: "identity", value: like.rule.pattern as never }, {}, 3],
    [{ kind: "read", value: "~/notes/todo.md" }, {}, 1],
    [{ kind: "read", value: "~/notes/*" }, {}, 2],
    [{ kind: "write", value: "~/notes/**" }, {}, 3],
    [{ kind: "read", value: "~/**" }, {}, 4],
  ])("%j %j is %d", (pattern, rule, breadth) => {
    expect(breadthOf(row(pattern, { args: null, ...rule }))).toBe(breadth);
  });

  it("is what was confirmed or remarked, and no more than its limits", () => {
    expect(breadthOf(row(command("find *"), { broad: true }))).toBe(4);
    const remarked = { remarks: [{ kind: "too-broad" as const, text: "too broad" }] };
    expect(breadthOf(row(command("sh -c x"), {}, remarked))).toBe(4);
    expect(breadthOf(row(command("git *"), { limits: { effects: [] } }))).toBe(2);
  });

  it("does not count what it was used for", () => {
    const used = { ...like.rule.usage, count: 9000 };
    expect(breadthOf(row(command("git push *"), { usage: used }))).toBe(
      breadthOf(row(command("git push *"))),
    );
  });

  it("has a name and words, with what narrows it", () => {
    const place = [{ text: "~/site", kind: "plain" as const }];
    render(BreadthMeter, { row: row(command("git *"), { confine: "project" }, { place }) });
    const meter = screen.getByRole("meter", { name: "Breadth" });
    expect(meter).toHaveAttribute("aria-valuenow", "3");
    expect(meter).toHaveAttribute("aria-valuetext", "every use of one program, in its folder, confined");
    expect(meter).toHaveAttribute("title", "Breadth: every use of one program, in its folder, confined");
    expect(breadthText(row({ kind: "write", value: "/**" }))).toBe("files nearly everywhere");
    expect(breadthText(row(command("find *"), { broad: true }))).toMatch(/also other programs/);
  });

  it("warns only of what an allow rule could let through", () => {
    const warns = (rule: Partial<Rule>) =>
      render(BreadthMeter, { row: row(path("/usr/bin/*"), rule) }).container.querySelector(".warns") !== null;
    expect(warns({ effect: "allow" })).toBe(true);
    expect(warns({ effect: "deny" })).toBe(false);
  });
});

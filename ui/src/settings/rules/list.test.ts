import { render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import type { Rule } from "../../contract";
import { rules } from "../../backend/sample-lists";
import { openPart } from "../../test/settings";
import { byProgram, draftOf, found, keepsPin, linesOf, nextSort, ofTab, sorted } from "./list";
import RuleLine from "./RuleLine.svelte";
import { fixOf, narrowed, remarksOf, untidy } from "./remarks";

describe("the allowlist editor", () => {
  it("adds a rule", async () => {
    const { user, call } = await openPart("Rules");
    await user.click(screen.getByRole("button", { name: "Add Rule…" }));
    const editor = within(await screen.findByTestId("rule-editor"));
    await user.type(editor.getByRole("textbox", { name: "Pattern" }), "npm test *");
    await user.click(editor.getByRole("button", { name: "Save" }));
    const draft = expect.objectContaining({ effect: "allow", agent: "builder", text: "npm test *" });
    expect(call).toHaveBeenCalledWith("rules.add", draft);
    expect(await screen.findByText("Added npm test *")).toBeVisible();
  });

  it("confines what a rule allows", async () => {
    const { user, call } = await openPart("Rules");
    await user.click(screen.getByRole("button", { name: "Add Rule…" }));
    const editor = within(await screen.findByTestId("rule-editor"));
    await user.type(editor.getByRole("textbox", { name: "Pattern" }), "make *");
    const how = editor.getByRole("combobox", { name: "How" });
    expect(how).toHaveAccessibleDescription("It can do everything that you can.");
    await user.selectOptions(how, "Confined to the agent’s folders");
    expect(how).toHaveAccessibleDescription(/writes only in the agent’s folders/);
    await user.click(editor.getByRole("button", { name: "Save" }));
    const draft = expect.objectContaining({ text: "make *", confine: "project" });
    expect(call).toHaveBeenCalledWith("rules.add", draft);
  });

  it("says what is wrong with a rule while it is typed, beside the field, and keeps the editor open", async () => {
    const { user } = await openPart("Rules");
    await user.click(screen.getByRole("button", { name: "Add Rule…" }));
    const editor = within(await screen.findByTestId("rule-editor"));
    const field = editor.getByRole("textbox", { name: "Pattern" });
    await user.type(field, "*");
    await waitFor(() => expect(field).toHaveAccessibleDescription(/would match every program/));
    expect(field).toBeInvalid();
    await user.click(editor.getByRole("button", { name: "Save" }));
    expect(editor.getByRole("textbox", { name: "Pattern" })).toHaveValue("*");
    await user.clear(field);
    await user.type(field, "git fetch *");
    await waitFor(() => expect(field).toHaveAccessibleDescription(/Would match 3 of the last 7 requests/));
    expect(field).toBeValid();
  });
});

describe("rules between list and editor", () => {
  const rows = rules(Date.now());

  it("marks a rule that confines", () => {
    const [row] = rows;
    if (!row) throw new Error("no sample");
    const does = { click: vi.fn(), open: vi.fn(), remove: vi.fn(), fix: vi.fn(), named: () => undefined };
    const line = { index: 0, now: Date.now(), selected: false, current: false, ...does };
    const shown = (rule: Rule) => render(RuleLine, { row: { ...row, rule }, ...line }).container.textContent;
    expect(shown(row.rule)).not.toContain("confined");
    expect(shown({ ...row.rule, confine: "look" })).toContain("confined");
  });

  it("keeps how and where a rule runs when it is edited", () => {
    const [row] = rows;
    if (!row) throw new Error("no sample");
    const rule = { ...row.rule, confine: "project", origin: "agent-shell" } as const;
    expect(draftOf(rule, row.text)).toMatchObject({ confine: "project", origin: "agent-shell" });
  });

  const texts = (of: typeof rows) => of.map((row) => row.text);

  it.each([
    ["allowed", 9],
    ["denied", 2],
    ["everyone", 4],
  ] as const)("the tab %s has its own", (tab, many) => {
    expect(ofTab(rows, tab, "builder")).toHaveLength(many);
    expect(ofTab(rows, tab, "research").filter((row) => row.rule.agent === "builder")).toEqual([]);
  });

  it("a search looks at pattern, last command, last path, why and remarks, for every word", () => {
    const of = (search: string) => texts(found(ofTab(rows, "allowed", "builder"), search));
    expect(of("TODO")).toEqual(["/opt/homebrew/bin/rg"]);
    expect(of("XCODE app test")).toEqual(["/opt/homebrew/bin/xcodebuild"]);
    expect(of("bin/deploy")).toEqual(["~/.local/bin/**"]);
    expect(of("too broad")).toEqual(["~/.local/bin/**"]);
    expect(of("before allowed")).toEqual(["git push origin *"]);
  });

  it("has the rules about one program together, and those about files last", () => {
    const programs = texts(byProgram(rows)).map((text) => text.split(" ")[0]?.split("/").at(-1));
    expect(programs.filter((name, at) => name === "git" && programs[at - 1] !== "git")).toHaveLength(1);
    expect(texts(byProgram(rows)).sort()).toEqual(texts(rows).sort());
  });

  it("has a head for each program, unless a column sorts them", () => {
    const lines = linesOf(byProgram(rows), true);
    const heads = lines.flatMap((line) => ("head" in line ? [line.head] : []));
    expect(heads.slice(0, 3)).toEqual(["Everything", "Whole folders", "bird"]);
    expect(new Set(heads).size, "none stands twice").toBe(heads.length);
    expect(lines.filter((line) => "row" in line)).toHaveLength(rows.length);
    expect(linesOf(rows, false).every((line) => "row" in line)).toBe(true);
    const [row] = rows;
    if (!row) throw new Error("no sample");
    const hostile = {
      ...row,
      text: "a\u202eb",
      shown: [
        { text: "a", kind: "plain" as const },
        { text: "U+202E", kind: "escaped" as const },
      ],
    };
    const [head] = linesOf([hostile], true);
    expect(head && "head" in head && head.head).not.toContain("\u202e");
  });

  it("sorts by what a column shows, and a third click leaves the order as it came", () => {
    expect(texts(sorted(rows, { by: "uses", down: true }))[0]).toBe("/opt/homebrew/bin/rg");
    expect(texts(sorted(rows, { by: "pattern", down: false })).at(-1)).toBe("rm -rf *");
    expect(sorted(rows, null)).toBe(rows);
    const clicks = [nextSort(null, "uses")];
    clicks.push(nextSort(clicks[0] ?? null, "uses"));
    clicks.push(nextSort(clicks[1] ?? null, "uses"));
    expect(clicks).toEqual([{ by: "uses", down: true }, { by: "uses", down: false }, null]);
    expect(nextSort({ by: "uses", down: true }, "from")).toEqual({ by: "from", down: false });
  });

  it("editing a rule keeps what the editor does not show, and its pin where the program is the same", () => {
    const row = rows[0];
    const push = rows[1];
    if (!row || !push) throw new Error("no sample");
    row.rule.matches = ["rg x"];
    const draft = draftOf(row.rule, row.text);
    expect(draft).toMatchObject({ text: row.text, matches: ["rg x"], pin: true, kind: "path" });
    expect(keepsPin(row, draft)).toBe(true);
    expect(keepsPin(row, { ...draft, text: "/usr/bin/env" })).toBe(false);
    const pinned = { ...push, rule: { ...push.rule, pin: row.rule.pin } };
    const command = draftOf(pinned.rule, push.text);
    expect(keepsPin(pinned, { ...command, text: "git push origin *" })).toBe(true);
    expect(keepsPin(pinned, { ...command, text: "hg push *" })).toBe(false);
    expect(keepsPin(pinned, { ...command, pin: false })).toBe(false);
  });

  it("every remark that is known has its fix, and what may go is each rule once", () => {
    const own = rows.filter((row) => row.rule.source.kind !== "skill");
    const kinds = own.flatMap((row) => remarksOf(row).map((remark) => remark.kind));
    expect(kinds).toEqual(["too-broad", "changed", "covered", "unused"]);
    expect(kinds.map((kind) => kind && fixOf(kind))).toEqual(["narrow", "repin", "remove", "remove"]);
    const broad = rows.find((row) => row.text === "~/.local/bin/**");
    if (!broad) throw new Error("no sample");
    broad.rule.usage.lastPath = "/Users/kim/.local/bin/deploy";
    expect(narrowed(broad)).toMatchObject({ text: "/Users/kim/.local/bin/deploy", kind: "path", pin: true });
    const remarks = (["covered", "unused"] as const).map((kind) => ({ kind, text: kind }));
    const both = { ...rows[2], remarks } as (typeof rows)[0];
    expect(untidy([both, ...own]).map(({ kind, rows: of }) => [kind, of.length])).toEqual([
      ["covered", 2],
      ["unused", 1],
    ]);
  });
});

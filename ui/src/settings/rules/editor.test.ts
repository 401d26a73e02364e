// The editor says what a rule lets through, and confirms a broad one once.

import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent, { PointerEventsCheckLevel } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { RuleDraft } from "../../contract";
import { FakeSettings } from "../../backend/fake-settings";
import { State } from "../state.svelte";
import { Check, sampleOf } from "./check.svelte";
import { newDraft } from "./list";
import RuleEditor from "./RuleEditor.svelte";

function open(start?: RuleDraft) {
  const backend = new FakeSettings();
  const call = vi.spyOn(backend, "call");
  const app = new State(backend);
  app.agents = [];
  const stop = app.start();
  const close = vi.fn();
  render(RuleEditor, { app, agent: undefined, row: null, close, ...(start && { start }) });
  const user = userEvent.setup({ pointerEventsCheck: PointerEventsCheckLevel.Never });
  const editor = within(screen.getByTestId("rule-editor"));
  const field = editor.getByRole("textbox", { name: "Pattern" });
  const added = () => call.mock.calls.filter(([method]) => method === "rules.add").map(([, draft]) => draft);
  return { user, call, close, editor, field, added, stop };
}

describe("a rule that is written", () => {
  it("says what it lets through, and what it would have changed", async () => {
    const { user, field, editor } = open();
    await user.type(field, "npm publish");
    expect((await screen.findByTestId("lets")).textContent).toContain("Publish this project publicly on npm");
    await user.clear(field);
    await user.type(field, "git fetch *");
    await waitFor(() =>
      expect(field).toHaveAccessibleDescription(
        /Would match 3 of the last 7 requests\..*It would have let 3 more run\..*git fetch --tags/s,
      ),
    );
    expect(screen.queryByTestId("also")).toBeNull();
    await user.click(editor.getByRole("radio", { name: "Deny" }));
    await waitFor(() => expect(field).toHaveAccessibleDescription(/It would have denied 3 more\./));
  });

  it("is offered as a broad one where it can be saved only so, with what it also covers", async () => {
    const { user, field, editor, added, close } = open();
    await user.type(field, "find *");
    const also = within(await screen.findByTestId("also"));
    expect(also.getAllByRole("listitem").map((one) => one.textContent.trim())).toEqual([
      "Also: run any program (-exec, -execdir, -ok)",
      "Also: delete files (-delete)",
      "Also: write files (-fprint)",
    ]);
    expect(field, "that is nothing wrong").toBeValid();
    const save = () => user.click(editor.getByRole("button", { name: "Save Broad Rule…" }));
    await save();
    const asked = within(screen.getByRole("dialog", { name: "Save a broad rule?", hidden: true }));
    expect(asked.getByText(/delete files/)).toBeVisible();
    expect(added(), "nothing is saved before it is confirmed").toEqual([]);
    await user.click(asked.getByRole("button", { name: "Cancel", hidden: true }));
    expect(field).toHaveValue("find *");
    await save();
    await user.click(screen.getByRole("button", { name: "Save Broad Rule", hidden: true }));
    expect(added()).toEqual([expect.objectContaining({ text: "find *", broad: true })]);
    expect(close).toHaveBeenCalledOnce();
  });

  it("is not saved as a broad one because another one was", async () => {
    const { user, field, editor, added } = open();
    await user.type(field, "find *");
    await screen.findByTestId("also");
    await user.clear(field);
    await user.type(field, "git fetch *{Enter}");
    expect(editor.queryByRole("button", { name: /Broad/ })).toBeNull();
    expect(added()).toEqual([expect.objectContaining({ text: "git fetch *", broad: false })]);
  });

  it("is broad by choice as well, and a deny rule never is", async () => {
    const { user, field, editor } = open();
    await user.type(field, "git fetch *");
    await user.click(editor.getByRole("checkbox", { name: /Also cover arguments/ }));
    expect(await editor.findByText("This rule is broad.")).toBeVisible();
    await user.click(editor.getByRole("radio", { name: "Deny" }));
    expect(editor.getByRole("button", { name: "Save" })).toBeVisible();
    expect(editor.queryByText("This rule is broad.")).toBeNull();
  });

  it("stays refused where no confirmation helps", async () => {
    const { user, field, editor } = open();
    await user.type(field, "*");
    await waitFor(() => expect(field).toHaveAccessibleDescription(/name the program first/));
    expect(editor.queryByRole("button", { name: /Broad/ })).toBeNull();
  });
});

describe("the look at a rule", () => {
  it("takes a whole command of the history for its effects, or its own words", () => {
    const of = (text: string, examples: string[] = [], kind?: RuleDraft["kind"]) =>
      sampleOf({ ...newDraft("allowed", "builder"), text, kind: kind ?? null }, examples);
    expect(of("git push *", ["git push origin main"])).toBe("git push origin main");
    expect(of("git push *", ["git \\u{202e}push", "git push"])).toBe("git push");
    expect(of("git push **", ["git commit …"])).toBe("git push");
    expect(of("~/bin/*")).toBeNull();
    expect(of("/usr/bin/uname")).toBe("/usr/bin/uname");
    expect(of("~/notes", [], "read")).toBeNull();
    expect(of("read_file: *")).toBeNull();
  });

  it("asks for no more than a row has room for", async () => {
    const backend = new FakeSettings();
    const call = vi.spyOn(backend, "call");
    const check = new Check(new State(backend));
    check.soon({ ...newDraft("allowed", "builder"), text: "find *" });
    await waitFor(() => expect(check.preview?.problem).toMatch(/save it as a broad rule/));
    expect(check.needsBroad).toBe(false);
    expect(call).toHaveBeenCalledOnce();
  });
});

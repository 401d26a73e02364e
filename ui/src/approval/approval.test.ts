import { cleanup, render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { FakeApproval } from "../backend/fake";
import {
  changeable,
  dangerous,
  destructive,
  escaped,
  hostile,
  input,
  push,
  script,
  text,
} from "../backend/samples";
import type { Question, RuleInput } from "../contract";
import Approval from "./Approval.svelte";

function show(...questions: Question[]) {
  const backend = new FakeApproval(questions);
  render(Approval, { backend });
  return { backend, said: backend.said, user: userEvent.setup() };
}

const once = () => screen.getByTestId("once");

describe("what is shown", () => {
  it("says who, what, where, what changes, why and until when", () => {
    show({ ...push(), waiting: 2 });
    const dialog = screen.getByRole("alertdialog", { name: /^builder wants to push commits to origin/ });
    expect(screen.getByTestId("command")).toHaveTextContent(
      /git fetch origin \(allowed by a rule\) && sha256sum --check release\.sums \(allowed by a rule\) && git push origin main \(asks\)/,
    );
    expect(dialog).toHaveTextContent("fix-login");
    expect(dialog).toHaveTextContent("/usr/bin/git");
    expect(screen.getByTestId("cwd")).toHaveTextContent("/Users/kim/Projects/site");
    expect(screen.getByTestId("env")).toHaveTextContent(/~\s*LANG=C.*was.*C\.UTF-8.*\+\s*NODE_ENV=test/);
    expect(screen.getByTestId("why")).toHaveTextContent(/You haven.t allowed git push for builder\./);
    expect(screen.getByTestId("policy")).toHaveTextContent("Ask when no rule matches");
    expect(screen.getByTestId("countdown")).toHaveTextContent(/Denied in 1:2\d if nobody answers/);
    expect(dialog).toHaveTextContent("2 more waiting");
  });

  it("marks the step that asks apart from those that are allowed", () => {
    show(push());
    const steps = screen.getByTestId("command").querySelectorAll(".step");
    expect([...steps].map((step) => step.classList.contains("ask"))).toEqual([false, false, true]);
  });

  it("shows many arguments one to a row", () => {
    show(script());
    const rows = within(screen.getByTestId("command")).getAllByRole("listitem");
    expect(rows).toHaveLength(10);
    expect(rows[9]).toHaveTextContent("report with spaces.pdf");
  });

  it("shows hostile text as text, and marks what was escaped", () => {
    show(hostile());
    expect(document.querySelector("img, script")).toBeNull();
    expect(screen.getByTestId("cwd")).toHaveTextContent("<img src=x onerror=alert(1)>");
    const marked = [...screen.getByTestId("cwd").querySelectorAll(".escaped")].map(
      (piece) => piece.textContent,
    );
    expect(marked).toEqual(["U+202E", "U+200B", "\\n", "U+001B"]);
  });

  it("keeps every character of a text that holds markup, spaces and escapes", () => {
    const cwd = [...text("a  b <i>&amp;</i> "), escaped("U+200B"), ...text(" c")];
    show({ ...push(), cwd });
    expect(screen.getByTestId("cwd").textContent).toBe("a  b <i>&amp;</i> U+200B c");
  });

  it("shows a script's first lines on demand", async () => {
    const { user } = show(script());
    expect(screen.queryByText("import argparse")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Show first lines" }));
    expect(screen.getByText("import argparse")).toBeVisible();
  });

  it("names every file that the agent can change, and only where there is one", () => {
    show({ ...push(), changeable: [text("./build.sh"), [...text("./x"), escaped("U+200B")]] });
    expect(screen.getByTestId("changeable")).toHaveTextContent(
      /^The agent can change \.\/build\.sh and \.\/xU\+200B until it runs\.$/,
    );
    show(push());
    expect(screen.getAllByTestId("changeable")).toHaveLength(1);
    cleanup();
    show(changeable());
    expect(screen.getByTestId("changeable")).toHaveTextContent(
      "The agent can change ./build.sh until it runs.",
    );
  });

  it("shows the lines of standard input, and says where nobody has seen them", () => {
    show(input());
    expect(screen.getByTestId("input")).toHaveTextContent("27 bytes of text echo buildingrm -rf build");
    cleanup();
    show({ ...push(), stdin: { kind: "stream" } });
    expect(screen.getByTestId("input")).toHaveTextContent("nobody has seen it");
  });

  it("says how many wait, and how many of them are this agent's", () => {
    show({ ...push(), waiting: 3, queued: 2 });
    expect(screen.getByRole("alertdialog")).toHaveTextContent(/3 more waiting\s*2 of them from builder/);
  });

  it("folds Always away where it is dangerous", () => {
    show(destructive());
    expect(screen.getByText("Always allow…").closest("details")).not.toHaveAttribute("open");
  });

  it("shows the next question when one is answered", async () => {
    const { user } = show(push(), dangerous());
    await user.keyboard("{Escape}");
    expect(screen.getByRole("alertdialog", { name: /research wants/ })).toBeVisible();
  });
});

describe("before it is armed", () => {
  it("allows nothing, by click or by keys", async () => {
    const { said, user } = show(push());
    expect(once()).toBeDisabled();
    expect(screen.getByTestId("always")).toBeDisabled();
    await user.click(once());
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(said.answers).toEqual([]);
  });

  it("has the focus on Deny", () => {
    show(push());
    expect(screen.getByTestId("deny")).toHaveFocus();
  });
});

describe("answers", () => {
  let shown: ReturnType<typeof show>;
  beforeEach(() => {
    shown = show(push());
    shown.backend.arm();
  });
  const only = () => {
    expect(shown.said.answers).toHaveLength(1);
    return shown.said.answers[0];
  };

  it("Allow once names the question and the digest on show", async () => {
    await shown.user.click(once());
    expect(only()).toMatchObject({ questionId: push().id, digest: push().digest, answer: "once" });
  });

  it("Return does nothing, wherever the focus is", async () => {
    for (const id of ["deny", "always", "once"]) {
      screen.getByTestId(id).focus();
      await shown.user.keyboard("{Enter}");
    }
    expect(shown.said.answers).toEqual([]);
  });

  it("Ctrl+Return allows once, but not while the key repeats", async () => {
    const event = { key: "Enter", ctrlKey: true, bubbles: true, cancelable: true };
    window.dispatchEvent(new KeyboardEvent("keydown", { ...event, repeat: true }));
    expect(shown.said.answers).toEqual([]);
    await shown.user.keyboard("{Control>}{Enter}{/Control}");
    expect(only()).toMatchObject({ answer: "once" });
  });

  it("Esc denies", async () => {
    await shown.user.keyboard("{Escape}");
    expect(only()).toMatchObject({ answer: "deny", feedback: null });
  });

  it("Deny takes words for the agent", async () => {
    await shown.user.click(screen.getByRole("button", { name: "Deny with a note" }));
    await shown.user.keyboard("run the tests first");
    await shown.user.click(screen.getByRole("button", { name: "Deny with note" }));
    expect(only()).toMatchObject({ answer: "deny", feedback: "run the tests first" });
  });

  it("the keys that send a note never allow", async () => {
    await shown.user.click(screen.getByRole("button", { name: "Deny with a note" }));
    await shown.user.keyboard("no{Control>}{Enter}{/Control}");
    expect(only()).toMatchObject({ answer: "deny", feedback: "no" });
  });

  it("Deny all names the agent's question", async () => {
    await shown.user.click(screen.getByRole("button", { name: "Deny all for 10 min" }));
    expect(only()).toMatchObject({ answer: "deny-all" });
  });

  it("Always saves the first offer for this agent, for good", async () => {
    await shown.user.click(screen.getByTestId("always"));
    expect(only()).toMatchObject({
      answer: "always",
      proposal: "command",
      scope: "agent",
      edited: null,
      anywhere: false,
      lifetime: { kind: "forever" },
    });
  });

  it("Always holds in the folder on show and below, until the person says otherwise", async () => {
    const offer = () => screen.getByRole("radio", { name: /git push … with any arguments/ });
    expect(offer()).toHaveAccessibleName(/, in \/Users\/kim\/Projects\/site and below \d of /);
    await shown.user.selectOptions(screen.getByRole("combobox", { name: "Where" }), "in any folder");
    expect(offer()).toHaveAccessibleName(/, in any folder \d of /);
    await shown.user.click(offer());
    await shown.user.click(screen.getByTestId("always"));
    expect(only()).toMatchObject({ proposal: "command", anywhere: true });
  });

  it("Always says what is missing while a rule has no folder, and needs that choice", async () => {
    cleanup();
    const [offer] = push().proposals;
    if (!offer) throw new Error("the sample offers nothing");
    shown = show({ ...push(), proposals: [{ ...offer, folder: null }] });
    shown.backend.arm();
    const always = screen.getByTestId("always");
    expect(always).toBeDisabled();
    expect(always).toHaveAccessibleDescription(/choose “in any folder”/);
    await shown.user.selectOptions(screen.getByRole("combobox", { name: "Where" }), "in any folder");
    expect(always).toBeEnabled();
    expect(always).not.toHaveAccessibleDescription();
  });

  it("says which input a rule would be bound to", () => {
    cleanup();
    const [offer] = push().proposals;
    const rule = offer?.rules[0];
    if (!offer || !rule) throw new Error("the sample offers nothing");
    const bound = (input: RuleInput) =>
      show({ ...push(), proposals: [{ ...offer, rules: [{ ...rule, input }] }] });
    const saved = () => screen.getByRole("radiogroup").textContent;
    bound({ kind: "text", sha256: "7".repeat(64) });
    expect(saved()).toMatch(/git push .*with this input/);
    cleanup();
    bound({ kind: "nothing" });
    expect(saved()).not.toContain("input");
  });

  it("Always renews rules as they are, with nothing else to choose", async () => {
    cleanup();
    const [offer] = push().proposals;
    if (!offer) throw new Error("the sample offers nothing");
    const label = text("renew all 4 rules of git");
    const renew = { ...offer, id: "renew", label, folder: null, rules: [], renews: 4, wouldMatch: null };
    const rules = [{ id: 1, agent: "builder", text: "git log *" }];
    const change = "2.43.0 → 2.44.0";
    const renews = [{ program: text("/usr/bin/git"), change, count: 4, rules }];
    shown = show({ ...push(), proposals: [renew, ...push().proposals], renews });
    shown.backend.arm();
    expect(screen.getByRole("radio", { name: /renew all 4 rules of git/ })).toBeChecked();
    expect(screen.getByRole("radiogroup")).toHaveTextContent("/usr/bin/git (2.43.0 → 2.44.0): git log *, …");
    expect(screen.queryByRole("combobox", { name: "Where" })).toBeNull();
    await shown.user.click(screen.getByTestId("always"));
    expect(only()).toMatchObject({ answer: "always", proposal: "renew", lifetime: null });
  });

  it("Always saves what was chosen and edited", async () => {
    await shown.user.click(screen.getByRole("radio", { name: /git push … with any arguments/ }));
    await shown.user.selectOptions(screen.getByRole("combobox", { name: "For whom" }), "everyone");
    await shown.user.selectOptions(screen.getByRole("combobox", { name: "How long" }), "session");
    await shown.user.click(screen.getByRole("button", { name: "Edit rule…" }));
    const rule = screen.getByRole("textbox", { name: "Rule to save" });
    await shown.user.clear(rule);
    await shown.user.type(rule, "git push origin *");
    await shown.user.click(screen.getByTestId("always"));
    expect(only()).toMatchObject({
      proposal: "command",
      scope: "everyone",
      edited: "git push origin *",
      lifetime: { kind: "session", value: "fix-login" },
    });
  });
});

it("says why an answer did not count", async () => {
  const { backend, user } = show(push());
  backend.arm();
  backend.answer = async () => ({ applied: false, reason: "it was answered already", also: [], saved: [] });
  await user.click(once());
  expect(screen.getByRole("alert")).toHaveTextContent("Not answered: it was answered already");
});

import { cleanup, screen, waitFor } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { destructive, push, text } from "../backend/samples";
import type { ProposedRule, Question, RuleInput } from "../contract";
import { choose, once, show } from "../test/approval";

describe("answers", () => {
  let shown: ReturnType<typeof show>;
  beforeEach(() => {
    shown = show(push());
    shown.backend.arm();
  });
  const again = (...questions: Question[]) => {
    cleanup();
    shown = show(...questions);
    shown.backend.arm();
  };
  const only = () => {
    expect(shown.said.answers).toHaveLength(1);
    return shown.said.answers[0];
  };
  const always = async () => {
    await choose(shown.user, "allow", "always");
    shown.backend.arm();
  };
  const save = () => screen.getByTestId("save");

  it("Allow Once names the question and the digest on show", async () => {
    await shown.user.click(once());
    expect(only()).toMatchObject({ questionId: push().id, digest: push().digest, answer: "once" });
  });

  it("Return does nothing, wherever the focus is", async () => {
    for (const id of ["deny", "once"]) {
      screen.getByTestId(id).focus();
      await shown.user.keyboard("{Enter}");
    }
    await shown.user.click(screen.getByRole("button", { name: "More ways to allow" }));
    screen.getByTestId("quarter").focus();
    await shown.user.keyboard("{Enter}");
    await shown.user.keyboard("{Escape}");
    await always();
    save().focus();
    await shown.user.keyboard("{Enter}");
    expect(shown.said.answers).toEqual([]);
  });

  it("Ctrl+Return allows once, but not while the key repeats", async () => {
    const event = { key: "Enter", ctrlKey: true, bubbles: true, cancelable: true };
    window.dispatchEvent(new KeyboardEvent("keydown", { ...event, repeat: true }));
    expect(shown.said.answers).toEqual([]);
    await shown.user.keyboard("{Control>}{Enter}{/Control}");
    expect(only()).toMatchObject({ answer: "once" });
  });

  it("on another Mac only allows, denies, and saves a rule as it is offered", async () => {
    again({ ...push(), host: "mini", editable: undefined });
    await shown.user.click(screen.getByRole("button", { name: "More ways to deny" }));
    expect(screen.queryByTestId("deny-always")).toBeNull();
    expect(screen.queryByTestId("stop")).toBeNull();
    expect(screen.getByTestId("note")).toBeInTheDocument();
    await shown.user.keyboard("{Escape}");
    await always();
    for (const select of screen.getAllByRole("combobox")) expect(select).toBeDisabled();
    await shown.user.click(save());
    expect(only()).toMatchObject({
      answer: "always",
      scope: "agent",
      anywhere: false,
      edited: null,
      lifetime: { kind: "forever" },
    });
  });

  it("Esc denies", async () => {
    await shown.user.keyboard("{Escape}");
    expect(only()).toMatchObject({ answer: "deny", feedback: null });
  });

  it("Esc leaves what is innermost first: the rule's text, the card, a menu", async () => {
    await always();
    await shown.user.click(screen.getByRole("button", { name: "Edit Rule…" }));
    await shown.user.keyboard("{Escape}");
    expect(screen.queryByRole("textbox")).toBeNull();
    await shown.user.keyboard("{Escape}");
    expect(screen.getByTestId("command")).toBeVisible();
    await shown.user.click(screen.getByRole("button", { name: "More ways to deny" }));
    await shown.user.keyboard("{Escape}");
    expect(screen.queryByRole("menu")).toBeNull();
    expect(shown.said.answers, "nothing of that denied").toEqual([]);
    await shown.user.keyboard("{Escape}");
    expect(only()).toMatchObject({ answer: "deny" });
  });

  it("Deny takes words for the agent", async () => {
    await choose(shown.user, "deny", "note");
    await shown.user.keyboard("run the tests first");
    await shown.user.click(screen.getByTestId("send"));
    expect(only()).toMatchObject({ answer: "deny", feedback: "run the tests first" });
  });

  it("the keys that send a message never allow", async () => {
    await choose(shown.user, "deny", "note");
    await shown.user.keyboard("no{Control>}{Enter}{/Control}");
    expect(only()).toMatchObject({ answer: "deny", feedback: "no" });
  });

  it("Always Deny says what it saves first", async () => {
    await choose(shown.user, "deny", "deny-always");
    expect(shown.said.answers).toEqual([]);
    expect(screen.getByRole("textbox")).toHaveAccessibleDescription(/Saves a rule that denies/);
    await shown.user.click(screen.getByTestId("send"));
    expect(only()).toMatchObject({ answer: "deny-always", feedback: null });
  });

  it("Ask Later answers nothing", async () => {
    await choose(shown.user, "deny", "later");
    expect(shown.said.answers).toEqual([]);
    expect(shown.said.put).toHaveLength(1);
  });

  it("Stop names the agent", async () => {
    await shown.user.click(screen.getByRole("button", { name: "More ways to deny" }));
    expect(screen.getByTestId("stop")).toHaveTextContent("Stop builder for 10 Minutes");
    await shown.user.click(screen.getByTestId("stop"));
    expect(only()).toMatchObject({ answer: "deny-all" });
  });

  it("Allow All names the requests on show, and is there only for several", async () => {
    await shown.user.click(screen.getByRole("button", { name: "More ways to allow" }));
    expect(screen.queryByTestId("all")).toBeNull();
    again({ ...push(), requests: ["a", "b", "c"] });
    expect(screen.getByRole("alertdialog")).toHaveTextContent("asked 3 times");
    await choose(shown.user, "allow", "all");
    expect(only()).toMatchObject({ answer: "once", requests: ["a", "b", "c"] });
  });

  it("for 15 Minutes saves the exact command in its folder, for that long", async () => {
    const before = Date.now();
    await choose(shown.user, "allow", "quarter");
    const answer = only();
    expect(answer).toMatchObject({ answer: "always", proposal: "exact", anywhere: false, scope: "agent" });
    expect(answer?.lifetime).toMatchObject({ kind: "until" });
    const until = Number(answer?.lifetime && "value" in answer.lifetime && answer.lifetime.value);
    expect(until - before).toBeGreaterThanOrEqual(15 * 60_000);
    expect(until - before).toBeLessThan(16 * 60_000);
  });

  it("for This Session is there only where there is a session", async () => {
    await choose(shown.user, "allow", "session");
    expect(only()).toMatchObject({ proposal: "exact", lifetime: { kind: "session", value: "fix-login" } });
    again({ ...push(), asker: { ...push().asker, session: null } });
    await shown.user.click(screen.getByRole("button", { name: "More ways to allow" }));
    expect(screen.queryByTestId("session")).toBeNull();
  });

  it("Always says how an offer that confines runs", async () => {
    const [offer] = push().proposals;
    const [rule] = offer?.rules ?? [];
    if (!offer || !rule) throw new Error("the sample offers nothing");
    const confined = { ...offer, id: "confined", rules: [{ ...rule, confine: "project" as const }] };
    again({ ...push(), proposals: [confined, offer] });
    await always();
    const how = screen.getByRole("combobox", { name: "How" });
    expect(how).toHaveDisplayValue("Confined to This Project");
    await shown.user.selectOptions(how, "With your full access");
    expect(screen.getAllByRole("radio").at(-1), "that is the other offer").toBeChecked();
    await shown.user.click(screen.getAllByRole("radio")[0] as HTMLElement);
    expect(how).toHaveDisplayValue("Confined to This Project");
    again({ ...push(), proposals: [confined] });
    await always();
    expect(screen.getByTestId("how").textContent).toBe("Confined to This Project");
  });

  it("Always is a card of its own, which starts arming over", async () => {
    await choose(shown.user, "allow", "always");
    expect(screen.getByRole("alertdialog", { name: "Always allow…" })).toBeVisible();
    expect(save()).toBeDisabled();
    expect(shown.said.presented.at(-1)).toMatchObject({ always: true });
    await shown.user.click(screen.getByRole("button", { name: "Back" }));
    expect(once()).toBeDisabled();
  });

  it("Always saves the first offer for this agent, without an end", async () => {
    await always();
    await shown.user.click(save());
    expect(only()).toMatchObject({
      answer: "always",
      proposal: "command",
      scope: "agent",
      edited: null,
      anywhere: false,
      lifetime: { kind: "forever" },
    });
  });

  it("Always lists whatever the host offers, by its label", async () => {
    const [offer] = push().proposals;
    if (!offer) throw new Error("the sample offers nothing");
    const confined = {
      ...offer,
      id: "confined",
      label: [...text("npm test, confined"), ...offer.label.slice(-3)],
    };
    again({ ...push(), proposals: [confined, ...push().proposals] });
    await always();
    expect(screen.getAllByRole("radio").map((one) => one.parentElement?.textContent?.trim())).toEqual([
      "npm test, confined",
      "git push … with any arguments, doing no more than this",
      "this exact command",
      "everything git does (until git is updated)",
    ]);
    await shown.user.click(save());
    expect(only()).toMatchObject({ proposal: "confined" });
  });

  it("Always holds in the folder on show and below, until the person says otherwise", async () => {
    await always();
    const where = screen.getByRole("combobox", { name: "Where" });
    expect(where).toHaveDisplayValue("In /Users/kim/Projects/site and below");
    await shown.user.click(save());
    expect(only()).toMatchObject({ proposal: "command", anywhere: false, folder: null, broad: false });
  });

  it("what allows more than was shown is told, and saved by a second press that is armed again", async () => {
    await always();
    await shown.user.selectOptions(screen.getByRole("combobox", { name: "Where" }), "Anywhere");
    expect(save(), "the host is asked what that adds").toBeDisabled();
    await waitFor(() => expect(screen.getByTestId("added")).toHaveTextContent("Also: in every folder"));
    expect(save()).toHaveTextContent("Save Broad Rule…");
    await shown.user.click(save());
    expect(save()).toHaveTextContent("Allow and Save Broad Rule");
    expect(save(), "arming starts over").toBeDisabled();
    expect(shown.said.answers).toEqual([]);
    shown.backend.arm();
    await shown.user.click(save());
    expect(only()).toMatchObject({ proposal: "command", anywhere: true, broad: true });
  });

  it("a change of what was confirmed is confirmed again", async () => {
    await always();
    const where = screen.getByRole("combobox", { name: "Where" });
    const broad = () => waitFor(() => expect(save()).toHaveTextContent(/Save Broad Rule/));
    await shown.user.selectOptions(where, "Anywhere");
    await broad();
    await shown.user.click(save());
    shown.backend.arm();
    await shown.user.selectOptions(screen.getByRole("combobox", { name: "Who" }), "everyone");
    await broad();
    expect(save()).toHaveTextContent("Save Broad Rule…");
    await shown.user.selectOptions(where, "In /Users/kim/Projects/site and below");
    await waitFor(() => expect(save()).toHaveTextContent("Allow and Save Rule"));
    await waitFor(() => expect(save()).toBeEnabled());
    await shown.user.click(save());
    expect(only()).toMatchObject({ anywhere: false, broad: false });
  });

  it("Always offers the folders around, the host and any input where they are a choice", async () => {
    const [offer] = push().proposals;
    const rule = offer?.rules[0];
    if (!offer || !rule) throw new Error("the sample offers nothing");
    const folders = [{ path: "/Users/kim/Projects", shown: text("~/Projects") }];
    const rules = [{ ...rule, input: { kind: "text" as const, sha256: "7".repeat(64) } }];
    again({ ...push(), origin: "agent-shell", proposals: [{ ...offer, folders, rules }] });
    await always();
    const pick = (name: string, value: string) =>
      shown.user.selectOptions(screen.getByRole("combobox", { name }), value);
    await pick("Where", "In ~/Projects and below");
    await pick("Runs", "Also on the host");
    await pick("Input", "Any input");
    await waitFor(() =>
      expect(screen.getByTestId("added")).toHaveTextContent(
        "in all of ~/Projects; on the host, not only in its own shell; with any input",
      ),
    );
    await shown.user.click(save());
    shown.backend.arm();
    await shown.user.click(save());
    expect(only()).toMatchObject({
      folder: "/Users/kim/Projects",
      anywhere: false,
      onHost: true,
      anyInput: true,
      broad: true,
    });
  });

  it("Always offers other versions by the same developer where one is known", async () => {
    const proposals = push().proposals.map((offer) => ({
      ...offer,
      rules: offer.rules.map((rule) => ({ ...rule, signed: true })),
    }));
    again({ ...push(), proposals });
    await always();
    const updated = screen.getByRole("combobox", { name: "If git is updated" });
    expect(updated).toHaveDisplayValue("Ask");
    await shown.user.selectOptions(updated, "Allow if signed by the same developer");
    await waitFor(() => expect(screen.getByTestId("added")).toHaveTextContent("by the same developer"));
    await shown.user.click(screen.getByRole("radio", { name: /this exact command/ }));
    expect(updated, "another offer is chosen for again").toHaveDisplayValue("Ask");
  });

  it("Always says where a rule holds, and what becomes of it when its program is updated", async () => {
    await always();
    expect(screen.getByTestId("runs")).toHaveTextContent("On the host and in its own shell");
    expect(screen.getByText("If git is updated")).toBeInTheDocument();
    expect(screen.getByTestId("pinned")).toHaveTextContent("Ask");
    const [offer] = push().proposals;
    const rules = offer?.rules.map((rule) => ({ ...rule, pinned: false })) ?? [];
    again({
      ...push(),
      proposals: push().proposals.map((one) => ({ ...one, rules })),
      changeable: [text("./m.sh")],
    });
    await always();
    expect(screen.getByTestId("pinned")).toHaveTextContent("The agent can change this file.");
  });

  it("Always says what is missing while a rule has no folder, and needs that choice", async () => {
    const [offer] = push().proposals;
    if (!offer) throw new Error("the sample offers nothing");
    again({ ...push(), proposals: [{ ...offer, folder: null }] });
    await always();
    expect(save()).toBeDisabled();
    expect(save()).toHaveAccessibleDescription(/choose “Anywhere”/);
    await shown.user.selectOptions(screen.getByRole("combobox", { name: "Where" }), "Anywhere");
    await waitFor(() => expect(save()).toBeEnabled());
    expect(save(), "it is what was offered").toHaveTextContent("Allow and Save Rule");
  });

  it("says which input a rule would be bound to", async () => {
    const [offer] = push().proposals;
    const rule = offer?.rules[0];
    if (!offer || !rule) throw new Error("the sample offers nothing");
    const bound = async (input: RuleInput) => {
      again({ ...push(), proposals: [{ ...offer, rules: [{ ...rule, input }] }] });
      await always();
    };
    await bound({ kind: "text", sha256: "7".repeat(64) });
    expect(screen.getByRole("combobox", { name: "Input" })).toHaveDisplayValue("Only this input");
    await bound({ kind: "any" });
    expect(screen.getByTestId("rule-input")).toHaveTextContent("Any input");
    await bound({ kind: "nothing" });
    expect(screen.queryByTestId("rule-input")).toBeNull();
  });

  it("Always renews rules as they are, with nothing else to choose", async () => {
    const [offer] = push().proposals;
    if (!offer) throw new Error("the sample offers nothing");
    const label = text("renew all 4 rules of git");
    const renew = { ...offer, id: "renew", label, folder: null, rules: [], renews: 4, wouldMatch: null };
    const rules = [{ id: 1, agent: "builder", text: "git log *" }];
    const change = "2.43.0 → 2.44.0";
    const renews = [{ program: text("/usr/bin/git"), change, count: 4, rules }];
    again({ ...push(), proposals: [renew, ...push().proposals], renews });
    expect(screen.getByRole("alertdialog")).toHaveTextContent("/usr/bin/git 2.43.0 → 2.44.0");
    await always();
    expect(screen.getByRole("radio", { name: /renew all 4 rules of git/ })).toBeChecked();
    expect(screen.getByTestId("saves")).toHaveTextContent("/usr/bin/git (2.43.0 → 2.44.0): git log *, …");
    expect(screen.queryByRole("combobox")).toBeNull();
    await shown.user.click(save());
    expect(only()).toMatchObject({ answer: "always", proposal: "renew", lifetime: null });
  });

  it("Always saves what was chosen and edited", async () => {
    await always();
    await shown.user.click(screen.getByRole("radio", { name: /git push … with any arguments/ }));
    await shown.user.selectOptions(screen.getByRole("combobox", { name: "Who" }), "everyone");
    await shown.user.selectOptions(screen.getByRole("combobox", { name: "How long" }), "session");
    await shown.user.click(screen.getByRole("button", { name: "Edit Rule…" }));
    const rule = screen.getByRole("textbox", { name: "Rule to save" });
    await shown.user.clear(rule);
    await shown.user.type(rule, "git push origin *");
    await waitFor(() => expect(save()).toBeEnabled());
    await shown.user.click(save());
    expect(only()).toMatchObject({
      proposal: "command",
      scope: "everyone",
      edited: "git push origin *",
      lifetime: { kind: "session", value: "fix-login" },
    });
  });

  it("an open word is named by the role that the host gives it, and is anything without one", async () => {
    const offers = (words?: ProposedRule["words"]) =>
      push().proposals.map((offer) => ({
        ...offer,
        rules: offer.rules.map((rule) => ({ ...rule, words: words ?? [] })),
      }));
    const opened = async (words?: ProposedRule["words"]) => {
      again({ ...push(), proposals: offers(words) });
      await always();
      await shown.user.click(screen.getByRole("radio", { name: /this exact command/ }));
      await shown.user.click(screen.getByRole("button", { name: "origin" }));
      return screen.getByTestId("tokens").textContent?.replace(/\s+/g, " ").trim();
    };
    expect(await opened(["none", "none", "host", "path"])).toContain("any address");
    expect(await opened()).toContain("anything");
  });

  it("a word of the rule is opened by a click, and closed by another", async () => {
    await always();
    await shown.user.click(screen.getByRole("radio", { name: /this exact command/ }));
    const tokens = () => screen.getByTestId("tokens");
    expect(tokens()).toHaveTextContent("gitpushoriginmain");
    await shown.user.click(screen.getByRole("button", { name: "main" }));
    expect(screen.getByRole("button", { name: "any branch" })).toHaveAttribute("aria-pressed", "true");
    await shown.user.click(screen.getByRole("button", { name: "any branch" }));
    await shown.user.click(screen.getByRole("button", { name: "origin" }));
    await waitFor(() =>
      expect(screen.getByTestId("added")).toHaveTextContent(
        "Also: send data elsewhere; run any program (-c, --exec-path)",
      ),
    );
    await shown.user.click(save());
    shown.backend.arm();
    await shown.user.click(save());
    expect(only()).toMatchObject({ proposal: "exact", edited: "git push * main", broad: true });
  });
});

describe("a dangerous question", () => {
  let shown: ReturnType<typeof show>;
  beforeEach(() => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    shown = show(destructive());
    shown.backend.arm();
  });
  afterEach(() => vi.useRealTimers());
  const down = () => shown.user.pointer({ keys: "[MouseLeft>]", target: once() });
  const up = () => shown.user.pointer({ keys: "[/MouseLeft]", target: once() });

  it("is allowed by holding, and by nothing less", async () => {
    await shown.user.click(once());
    await down();
    await vi.advanceTimersByTimeAsync(1000);
    await up();
    await vi.advanceTimersByTimeAsync(1000);
    expect(shown.said.answers).toEqual([]);
    await down();
    await vi.advanceTimersByTimeAsync(1300);
    expect(shown.said.answers).toMatchObject([{ answer: "once", digest: destructive().digest }]);
  });

  it("is allowed by two presses of keys, the second armed again", async () => {
    const chord = "{Control>}{Enter}{/Control}";
    await shown.user.keyboard(chord);
    await shown.user.keyboard(chord);
    expect(shown.said.answers).toEqual([]);
    expect(once()).toHaveTextContent("Press Again to Allow");
    await vi.advanceTimersByTimeAsync(destructive().armingMs + 100);
    await shown.user.keyboard(chord);
    expect(shown.said.answers).toMatchObject([{ answer: "once" }]);
  });
});

it("says why an answer did not count", async () => {
  const { backend, user } = show(push());
  backend.arm();
  backend.answer = async () => ({ applied: false, reason: "it was answered already", also: [], saved: [] });
  await user.click(once());
  expect(screen.getByRole("alert")).toHaveTextContent("Not answered: it was answered already");
});

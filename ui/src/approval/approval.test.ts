import { cleanup, render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { FakeApproval } from "../backend/fake";
import {
  changeable,
  dangerous,
  destructive,
  escaped,
  files,
  hostile,
  input,
  long,
  push,
  script,
  text,
} from "../backend/samples";
import type { Pill, PillAct, Question, ScriptState } from "../contract";
import { choose, details, once, show } from "../test/approval";
import Approval from "./Approval.svelte";

describe("what is shown", () => {
  it("says who, what, where, why, with which rights and until when", () => {
    show({ ...push(), waiting: 2 });
    const dialog = screen.getByRole("alertdialog", { name: /^builder wants to push commits to origin/ });
    const steps = screen.getAllByTestId("step").map((step) => step.textContent?.replace(/\s+/g, " ").trim());
    expect(steps).toEqual([
      "✓allowed: git fetch origin &&",
      "✓allowed: sha256sum --check release.sums &&",
      "●asks: git push origin main",
    ]);
    expect(dialog).toHaveTextContent("session fix-login");
    expect(screen.getByTestId("cwd")).toHaveTextContent("/Users/kim/Projects/site");
    expect(screen.getByTestId("why")).toHaveTextContent(/You haven.t allowed git push for builder yet\./);
    expect(screen.getByTestId("says")).toHaveTextContent("push the fix so that CI can run");
    expect(screen.getByTestId("confinement")).toHaveTextContent("Runs with your full access");
    expect(screen.getByTestId("countdown")).toHaveTextContent(/^Denied in 1:2\d$/);
    expect(dialog).toHaveTextContent("1 of 3");
  });

  it("shows what deviates as chips, and all of it in the details", async () => {
    const { user } = show(push());
    const chips = screen.getAllByTestId("env-chip").map((chip) => chip.textContent?.replace(/\s+/g, " "));
    expect(chips).toEqual(["changed LANG: C.UTF-8 → C", "+ added NODE_ENV=test"]);
    expect(screen.queryByTestId("policy")).toBeNull();
    await details(user);
    expect(screen.getByTestId("env")).toHaveTextContent(/LANG=C.*was.*C\.UTF-8.*\+.*NODE_ENV=test/);
    expect(screen.getByTestId("policy")).toHaveTextContent("Ask when no rule matches");
    expect(screen.getAllByTestId("program")[0]).toHaveTextContent("/usr/bin/git");
    expect(screen.getByTestId("detail-rows")).toHaveTextContent("Fetch from origin");
  });

  it("opens the details where a value is too long for a chip", () => {
    const long = { kind: "added" as const, name: text("TOKEN"), value: text("x".repeat(60)), was: null };
    show({ ...push(), env: [long] });
    expect(screen.queryByTestId("env-chip")).toBeNull();
    expect(screen.getByTestId("env")).toHaveTextContent(`TOKEN=${"x".repeat(60)}`);
  });

  it("names a program in a folder that is not the system's", () => {
    const [program, ...rest] = push().programs;
    if (!program) throw new Error("the sample has no program");
    show({ ...push(), programs: [{ ...program, path: text("/tmp/bin/git") }, ...rest] });
    expect(screen.getByRole("alertdialog")).toHaveTextContent("/tmp/bin/git");
  });

  it("folds what loses nothing, and asks to open what does before its end counts as seen", async () => {
    vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(400);
    show(long());
    expect(screen.getByTestId("step")).toHaveTextContent("grep -n todo src/module-0–239/index.test.ts");
    expect(screen.getByTestId("arming")).not.toHaveAttribute("data-state", "unseen");
    cleanup();
    const { said, user } = show(files());
    expect(screen.getByTestId("step")).toHaveTextContent(
      "-n todo src/button-dark.test.ts 118 more in src/ ending in .ts src/tree-quiet.view.ts",
    );
    expect(said.seen).toEqual([]);
    await user.click(screen.getByRole("button", { name: /^Show all to allow/ }));
    expect(screen.getByTestId("step")).toHaveTextContent("src/page-dark.story.ts");
    expect(said.seen).toEqual([files().id]);
    vi.restoreAllMocks();
  });

  it("says what makes it dangerous, and nothing of the kind where it is not", () => {
    show(destructive());
    expect(screen.getByTestId("danger")).toHaveTextContent("Can’t be undone.");
    expect(screen.getByTestId("step")).toHaveTextContent("■dangerous: git push --force origin main");
    cleanup();
    show(push());
    expect(screen.queryByTestId("danger")).toBeNull();
  });

  it("has no row for what is not there", () => {
    const bare = { env: [], recent: [], stdin: null, changeable: undefined };
    show({ ...push(), ...bare, asker: { ...push().asker, says: null, session: null } });
    for (const id of ["says", "env-chip", "input", "changeable", "edited", "danger", "queue"])
      expect(screen.queryByTestId(id), id).toBeNull();
  });

  it("a session that is an id alone is named in the details, not in the header", async () => {
    const session = [{ text: "3f2a9c04-1b2c-4d5e-8f90-a1b2c3d4e5f6", kind: "plain" as const }];
    const { user } = show({ ...push(), asker: { ...push().asker, session, sessionKind: "id" } });
    expect(screen.queryByText(/3f2a9c04/)).toBeNull();
    await details(user);
    expect(screen.getByTestId("session")).toHaveTextContent("3f2a9c04-1b2c-4d5e-8f90-a1b2c3d4e5f6");
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

  /** The script's question, with the script as the host knows it. */
  function knownAs(state: ScriptState, more = false): Question {
    const question = script();
    const programs = question.programs.map((one) =>
      one.script ? { ...one, script: { ...one.script, state, more } } : one,
    );
    return { ...question, programs };
  }

  it("shows a known script's first lines on demand", async () => {
    const { user } = show(knownAs("unchanged"));
    await details(user);
    expect(screen.queryByText("import argparse")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Show First Lines" }));
    expect(screen.getByText("import argparse")).toBeVisible();
  });

  it("shows what a new or changed script begins with, and the rest on demand", async () => {
    const { user } = show(knownAs("new", true));
    const section = within(screen.getByRole("region", { name: "Script that is new" }));
    expect(section.getByText("import argparse")).toBeVisible();
    expect(section.queryByText("main()")).toBeNull();
    await user.click(section.getByRole("button", { name: "Show All" }));
    expect(await section.findByText("main()")).toBeVisible();
    expect(section.queryByText("The script goes on.")).toBeNull();
    cleanup();
    show(knownAs("changed"));
    expect(screen.getByRole("region", { name: "Script that changed" })).toHaveTextContent("changed");
    expect(screen.queryByRole("button", { name: "Show All" })).toBeNull();
  });

  it("shows each script once, and reads the one that is asked for", async () => {
    const question = knownAs("new", true);
    const [first] = question.programs;
    if (!first?.script) throw new Error("the question has a script");
    const [path, sha256] = [text("/w/other.py"), "0".repeat(64)];
    const other = { ...first, script: { ...first.script, path, sha256 } };
    const { backend, user } = show({ ...question, programs: [first, other, other] });
    const sections = screen.getAllByTestId("script");
    expect(sections).toHaveLength(2);
    vi.spyOn(backend, "script").mockRejectedValueOnce("/w/other.py has changed since it was shown");
    const [known, second] = sections.map((section) => within(section));
    if (!known || !second) throw new Error("each script has a section");
    await user.click(second.getByRole("button", { name: "Show All" }));
    expect(await second.findByRole("alert")).toHaveTextContent("has changed since it was shown");
    expect(known.queryByRole("alert")).toBeNull();
    await user.click(known.getByRole("button", { name: "Show All" }));
    expect(await known.findByText("main()")).toBeVisible();
    expect(second.queryByText("main()")).toBeNull();
  });

  it.each([
    ["~/Projects/site", false],
    ["~/Projects/site/src", true],
    ["~/.cache/site", true],
    ["/tmp/site", true],
  ])(
    "names the repository where there is one, and the folder %s besides if it is foreign",
    (cwd, foreign) => {
      const { backend } = show({ ...push(), cwd: text(cwd), repository: text("acme/site") });
      backend.settle();
      expect(screen.getByTestId("repository").closest("header")).toHaveTextContent(/acme\/site/);
      expect(screen.queryByTestId("cwd")?.textContent).toBe(foreign ? cwd : undefined);
    },
  );

  it("has the folder of a repository in the details", async () => {
    const { backend } = show({ ...push(), cwd: text("~/Projects/site"), repository: text("acme/site") });
    backend.settle();
    await backend.details(true);
    expect(screen.getByTestId("repository")).toHaveAttribute("title", "~/Projects/site");
    const rows = within(await screen.findByTestId("detail-rows"));
    expect(rows.getByTestId("cwd")).toHaveTextContent("~/Projects/site");
  });

  it("says the branch, and offers to stop an agent that was denied often", async () => {
    const { backend, said, user } = show({ ...push(), branch: text("fix/login"), refused: 3 });
    backend.settle();
    expect(screen.getByRole("alertdialog")).toHaveTextContent(/on branch fix\/login/);
    const refused = within(screen.getByTestId("refused"));
    await user.click(refused.getByRole("button", { name: /^Stop .* for 10 Minutes$/ }));
    expect(said.answers).toMatchObject([{ answer: "deny-all" }]);
    cleanup();
    show({ ...push(), refused: 2 });
    expect(screen.queryByTestId("refused")).toBeNull();
  });

  it("asks for fewer rights, and for those that the agent wanted again", async () => {
    const { said, user } = show({ ...push(), tighter: ["project"] });
    const change = () => user.click(screen.getByRole("button", { name: "Change the Confinement" }));
    await change();
    await user.click(screen.getByRole("menuitem", { name: "Confine to This Project" }));
    expect(said.edits).toMatchObject([{ digest: push().digest, confine: "project" }]);
    expect(await screen.findByText("Confined: no network")).toBeVisible();
    await change();
    await user.click(screen.getByRole("menuitem", { name: "As the Agent Asked" }));
    expect(said.edits.at(-1)).toMatchObject({ confine: "as-asked" });
    expect(said.edits.at(-1)).not.toHaveProperty("text");
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
    expect(screen.getByTestId("input")).toHaveTextContent("Input, 27 bytes echo buildingrm -rf build");
    cleanup();
    show({ ...push(), stdin: { kind: "stream" } });
    expect(screen.getByTestId("input")).toHaveTextContent("You can’t review it");
  });

  it.each([
    ["of several agents", 3, 0, "1 of 4, 3 more waiting"],
    ["of one agent, some still in line", 6, 1, "1 of 7, 6 more waiting, 1 of them in line"],
    ["of one agent, all in line", 2, 2, "1 of 3, 2 more waiting in line"],
  ])("says how many wait: %s", (_, waiting, queued, says) => {
    show({ ...push(), waiting, queued });
    expect(screen.getByTestId("queue").textContent?.replace(/\s+/g, " ").replace(" ,", ",").trim()).toBe(
      says,
    );
  });

  it("folds Always away where it is dangerous", async () => {
    const { user } = show(destructive());
    expect(screen.queryByRole("button", { name: "More ways to allow" })).toBeNull();
    expect(screen.queryByTestId("always")).toBeNull();
    await details(user);
    await user.click(screen.getByTestId("always"));
    expect(screen.getByTestId("offers")).toBeVisible();
  });

  it("says why nothing can be saved", async () => {
    const { user } = show(hostile());
    await user.click(screen.getByRole("button", { name: "More ways to allow" }));
    expect(screen.getByTestId("nothing-to-save")).toHaveTextContent(/^Always isn’t possible: a part of it/);
    expect(screen.queryByTestId("always")).toBeNull();
  });

  it("says in red where nobody's answer is a yes", () => {
    show({ ...push(), atZero: text("Allowed"), allowedAtZero: true });
    expect(screen.getByTestId("countdown")).toHaveClass("allowed");
  });

  it("shows the next question when one is answered", async () => {
    const { backend, user } = show(push(), dangerous());
    backend.settle();
    await user.keyboard("{Escape}");
    expect(screen.getByRole("alertdialog", { name: /research wants/ })).toBeVisible();
  });
});

describe("before it is armed", () => {
  it("allows nothing, by click, by menu or by keys", async () => {
    const { said, user } = show(push());
    expect(once()).toBeDisabled();
    await user.click(once());
    await choose(user, "allow", "quarter");
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(said.answers).toEqual([]);
  });

  it("has the focus on Deny", () => {
    show(push());
    expect(screen.getByTestId("deny")).toHaveFocus();
  });

  it("takes no answer in its first moment: the key was meant for the question before", async () => {
    const { backend, said, user } = show(push(), script());
    backend.settle();
    await user.keyboard("{Escape}");
    await user.keyboard("{Escape}");
    await user.click(screen.getByTestId("deny"));
    expect(said.answers).toHaveLength(1);
    backend.settle();
    await user.keyboard("{Escape}");
    expect(said.answers).toMatchObject([{ digest: push().digest }, { digest: script().digest }]);
  });
});

describe("what became of an answer", () => {
  const pills: [Pill, RegExp, PillAct | null][] = [
    [{ state: "denied" }, /^✕ ?Denied ?Undo$/, "undo"],
    [{ state: "running", since: Date.now() - 3500 }, /^ ?Running… \d:\d\d ?◼ ?Stop$/, "stop"],
    [{ state: "passed" }, /Passed$/, null],
    [{ state: "failed", code: 1 }, /Failed \(1\) ?Show$/, "show"],
    [{ state: "failed", code: null }, /Failed ?Show$/, "show"],
    [
      { state: "saved", also: 5, denies: false, undo: true },
      /Rule saved · 5 waiting requests allowed ?Undo$/,
      "undo",
    ],
    [
      { state: "saved", also: 1, denies: true, undo: true },
      /Rule saved · 1 waiting request denied ?Undo$/,
      "undo",
    ],
    [{ state: "saved", also: 0, denies: false, undo: false }, /Rule saved$/, null],
    [{ state: "removed", allowed: 6 }, /Rule removed · 6 requests already allowed$/, null],
    [{ state: "removed", allowed: 0 }, /Rule removed$/, null],
    [{ state: "allowed" }, /Allowed$/, null],
  ];
  for (const [pill, says, act] of pills) {
    it(`${JSON.stringify(pill)} says what it is, and does what it offers`, async () => {
      const backend = new FakeApproval([], pill);
      render(Approval, { backend });
      expect(screen.getByTestId("pill").textContent?.replace(/\s+/g, " ").trim()).toMatch(says);
      expect(document.activeElement, "it takes no keyboard").toBe(document.body);
      const button = screen.queryByTestId("pill-act");
      expect(button !== null).toBe(act !== null);
      if (button) await userEvent.click(button);
      expect(backend.said.acts).toEqual(act ? [act] : []);
    });

    it(`${JSON.stringify(pill)} is reached by keys`, async () => {
      const backend = new FakeApproval([], pill);
      render(Approval, { backend });
      await userEvent.keyboard("{Control>}z{/Control}");
      expect(backend.said.acts, "only an undo has a chord").toEqual(act === "undo" ? [act] : []);
      cleanup();
      const again = new FakeApproval([], pill);
      render(Approval, { backend: again });
      await userEvent.tab();
      await userEvent.keyboard(" ");
      expect(again.said.acts).toEqual(act ? [act] : []);
    });
  }
});

import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { FakeSettings } from "../../backend/fake-settings";
import Root from "../Root.svelte";

async function open(scene = "") {
  const backend = new FakeSettings({ scene });
  render(Root, { backend });
  const user = userEvent.setup();
  await screen.findByRole("heading", { level: 1, name: "Inbox" });
  return { user, backend, asking: backend.asking };
}

const rows = () => screen.getAllByTestId("waiting");
const panel = () => within(screen.getByTestId("question"));

it("lists what waits by agent, marks what is dangerous, and shows the oldest as its panel", async () => {
  const { asking } = await open();
  expect(await screen.findAllByTestId("waiting")).toHaveLength(4);
  const list = screen.getByRole("listbox", { name: "Waiting requests" });
  for (const name of [/^builder/, /^research/])
    expect(within(list).getByRole("group", { name }).querySelectorAll("[role=option]")).toHaveLength(2);
  expect(rows().filter((row) => row.textContent?.includes("dangerous:"))).toHaveLength(2);
  expect(screen.getByTestId("question")).toHaveAttribute("data-id", asking.waiting[0]?.id);
  expect(rows()[0]).toHaveAttribute("aria-selected", "true");
});

it("says how many more of an agent wait for their turn", async () => {
  const backend = new FakeSettings({ scene: "" });
  for (const one of backend.asking.waiting) if (one.asker.agent === "builder") one.queued = 7;
  render(Root, { backend });
  const more = await screen.findAllByTestId("in-line");
  expect(more.map((one) => one.textContent?.trim())).toEqual([
    expect.stringMatching(/^7 more from\s+builder$/),
  ]);
});

it("shows the chosen one, unarmed, and answers it and no other", async () => {
  const { user, asking } = await open();
  await screen.findAllByTestId("waiting");
  const [first, second] = asking.waiting;
  const list = screen.getByRole("listbox", { name: "Waiting requests" });
  list.focus();
  await user.keyboard("{ArrowDown}");
  const chosen = screen.getByTestId("question").dataset.id;
  expect(chosen).not.toBe(first?.id);
  expect([second?.id, ...asking.waiting.map(({ id }) => id)]).toContain(chosen);
  expect(panel().getByTestId("arming").dataset.state).not.toBe("armed");
  asking.arm();
  await user.click(await panel().findByTestId("deny"));
  expect(asking.said.answers.map(({ questionId }) => questionId)).toEqual([chosen]);
  expect(await screen.findAllByTestId("waiting")).toHaveLength(3);
});

it("hears keys only where the focus is: esc and Return elsewhere answer nothing", async () => {
  const { user, asking } = await open();
  await screen.findAllByTestId("waiting");
  asking.arm();
  screen.getByRole("listbox", { name: "Waiting requests" }).focus();
  await user.keyboard("{Escape}{Control>}{Enter}{/Control}");
  screen.getByRole("combobox", { name: /^Search agents/ }).focus();
  await user.keyboard("{Escape}{Control>}{Enter}{/Control}");
  expect(asking.said.answers).toEqual([]);
  screen.getByRole("listbox", { name: "Waiting requests" }).focus();
  await user.keyboard("{Enter}");
  expect(panel().getByTestId("deny")).toHaveFocus();
  await user.keyboard("{Escape}");
  expect(asking.said.answers.map(({ answer }) => answer)).toEqual(["deny"]);
});

it("says when nothing waits", async () => {
  await open("answered");
  expect(await screen.findByText("Nothing is waiting")).toBeVisible();
  expect(screen.queryByTestId("question")).toBeNull();
});

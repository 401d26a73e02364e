// What the tests of the approval page share.

import { render, screen } from "@testing-library/svelte";
import userEvent, { PointerEventsCheckLevel } from "@testing-library/user-event";
import Approval from "../approval/Approval.svelte";
import { FakeApproval } from "../backend/fake";
import type { Question } from "../contract";

/** Shows questions, the first at once. */
export function show(...questions: Question[]) {
  const backend = new FakeApproval(questions);
  render(Approval, { backend });
  // What jsdom computes of a menu’s styles is not what a browser does: a menu there lets nothing be clicked.
  return {
    backend,
    said: backend.said,
    user: userEvent.setup({ pointerEventsCheck: PointerEventsCheckLevel.Never }),
  };
}

export const once = () => screen.getByTestId("once");
type User = ReturnType<typeof userEvent.setup>;
export const details = (user: User) => user.keyboard("{Control>}i{/Control}");
/** Opens a menu and chooses. */
export async function choose(user: User, menu: "allow" | "deny", id: string) {
  await user.click(screen.getByRole("button", { name: `More ways to ${menu}` }));
  await user.click(screen.getByTestId(id));
}

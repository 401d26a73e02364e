import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { FakeMembers } from "../../backend/fake-members";
import type { FleetDetail, FleetOverview } from "../../contract";
import type { State } from "../state.svelte";
import { Desk } from "./desk.svelte";
import JoinForm from "./JoinForm.svelte";
import Status from "./Status.svelte";

const NOON = Date.UTC(2026, 2, 2, 12);

/** Shows the status of a fleet in which this is so. */
function shown(change: Partial<FleetDetail>) {
  const join = vi.fn();
  const fleet = { ...(new FakeMembers(NOON, "fleet").get().fleet as FleetDetail), ...change };
  render(Status, { app: { now: NOON } as State, fleet, join });
  return { join, user: userEvent.setup() };
}

describe("what is done for other members", () => {
  it("is counted as `postern fleet status` counts it", () => {
    shown({ work: { running: 2, begun: 17, refused: 3 } });
    expect(screen.getByText("2 running, 17 started this minute, 3 refused")).toBeVisible();
  });

  it("is nothing to show while there is none", () => {
    shown({ work: { running: 0, begun: 0, refused: 0 } });
    expect(screen.queryByText(/started this minute/)).toBeNull();
  });
});

describe("joining again", () => {
  it("is offered where no owner confirmed that this one joined", async () => {
    const { join, user } = shown({ unconfirmed: true });
    expect(screen.getByRole("alert")).toHaveTextContent("Join again with another code");
    await user.click(screen.getByRole("button", { name: "Join with Code…" }));
    expect(join).toHaveBeenCalledOnce();
  });

  it("is not offered to a member that its owner knows", () => {
    shown({ unconfirmed: false });
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.queryByRole("button", { name: "Join with Code…" })).toBeNull();
  });

  /** Joins with a code, to which the host replies with this. */
  async function joined(overview: FleetOverview) {
    const [say, close] = [vi.fn(), vi.fn()];
    const backend = { call: vi.fn(() => Promise.resolve(overview)) };
    const app = { backend, say, readHosts: vi.fn(() => Promise.resolve()) } as unknown as State;
    render(JoinForm, { desk: new Desk(app), close });
    const user = userEvent.setup();
    await user.type(screen.getByLabelText(/^Code/), "pf1.abc");
    await user.click(screen.getByRole("button", { name: "Join", hidden: true }));
    await vi.waitFor(() => expect(close).toHaveBeenCalledOnce());
    return say;
  }

  it("says so where the newest roster names this one already", async () => {
    const { fleet } = new FakeMembers(NOON, "fleet").get();
    const say = await joined({ fleet, pairing: null });
    expect(say).toHaveBeenCalledWith(expect.stringContaining("the code isn’t needed"));
  });

  it("goes on with the digits otherwise", async () => {
    const fake = new FakeMembers(NOON, "fleet");
    const consent = { policyAllows: false, readable: false, auditable: false };
    const asked = { code: "pf1.abc", credentials: null, asks: true, answers: true, consent };
    const say = await joined(fake.join(asked));
    expect(say).not.toHaveBeenCalled();
  });
});

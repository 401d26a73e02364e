// What the fleet's page knows: the fleet as this Mac has it, read again while the page is open, and what was refused.

import type { Method, Params, Result } from "../../backend/backend";
import type { FleetDetail, FleetOverview, FleetPairing, FleetSignatures } from "../../contract";
import { reason } from "../../parts/escaped";
import { proposals } from "../../words/fleet";
import type { State } from "../state.svelte";

/** How long between two looks, in milliseconds: while a Mac joins, and otherwise. */
const BETWEEN = { pairing: 700, idle: 5000 };

export class Desk {
  overview: FleetOverview | null = $state.raw(null);
  busy = $state(false);
  /** Why the last call was refused. */
  refused: string | null = $state(null);

  constructor(readonly app: State) {}

  get pairing(): FleetPairing | null {
    return this.overview?.pairing ?? null;
  }

  /** Reads the fleet now and again, until the returned function ends it. */
  watch(): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let live = true;
    const look = async () => {
      const found = await this.app.backend.call("fleet.get", {}).catch(() => null);
      if (!live) return;
      // What a call brings meanwhile is newer.
      if (found && !this.busy) this.overview = found;
      timer = setTimeout(() => void look(), this.pairing ? BETWEEN.pairing : BETWEEN.idle);
    };
    void look();
    // Who is no approver is not told of changes at the broker at once.
    void this.app.backend.call("fleet.proposals", {}).then(
      (found) => {
        if (live && !this.busy) this.overview = found;
      },
      () => null,
    );
    return () => {
      live = false;
      clearTimeout(timer);
    };
  }

  /** Reads the fleet once more. */
  async look(): Promise<void> {
    const found = await this.app.backend.call("fleet.get", {}).catch(() => null);
    if (found) this.overview = found;
  }

  /** Calls a method; what is refused is kept to be said beside the form. */
  async call<M extends Method>(method: M, params: Params<M>): Promise<Result<M> | null> {
    this.busy = true;
    this.refused = null;
    try {
      return await this.app.backend.call(method, params);
    } catch (error) {
      this.refused = reason(error);
      return null;
    } finally {
      this.busy = false;
    }
  }

  /** Calls a method that changes the fleet. Gives whether it did. */
  async change<
    M extends
      | "fleet.start"
      | "fleet.invite"
      | "fleet.join"
      | "fleet.pair"
      | "fleet.change"
      | "fleet.revoke"
      | "fleet.sign"
      | "fleet.withdraw"
      | "fleet.leave",
  >(method: M, params: Params<M>): Promise<boolean> {
    const done = await this.call(method, params);
    if (!done) return false;
    this.overview = done as FleetOverview;
    void this.app.readHosts();
    return true;
  }
}

/** Whether an owner's word that the roster is current still counts. */
export const isFresh = ({ freshUntil }: FleetDetail, now: number) => freshUntil !== null && now < freshUntil;

/** Whose signatures a change waits for. */
export const waitsFor = ({ missing, role, people }: FleetSignatures) =>
  proposals.waits(missing, role === "owner" ? "owner" : "publisher", people.join(", "));

/** The groups in a text, which commas or blanks separate. */
export const groupsOf = (text: string) => text.split(/[\s,]+/).filter((group) => group !== "");

// The history in pages, by key: the newest are read again whenever something happens, older ones as the list is scrolled.

import type { RequestFilter, RequestRow } from "../../contract";
import type { State } from "../state.svelte";

const PAGE = 100;
/** How many fit what another Mac sends at once, if their commands are not of the longest. */
const PAGE_ELSEWHERE = 50;
/** How many rows a page without enough of them is filled up to, before the list waits to be scrolled. */
const ENOUGH = 30;

export class Pages {
  rows: RequestRow[] = $state.raw([]);
  /** Where the next older page begins; none at the end. */
  next: string | null = $state(null);
  /** Whether the list was read at all: until then nothing is said about it. */
  known = $state(false);
  /** Whether older ones are being looked for. */
  further = $state(false);
  private filter: RequestFilter = {};
  private host = "";
  /** Raised with each filter: what comes late for another one is dropped. */
  private turn = 0;

  constructor(private readonly app: State) {}

  private get page(): number {
    return this.host === "" ? PAGE : PAGE_ELSEWHERE;
  }

  /** Reads the first page. With the same filter as before, older rows that were read stay. */
  async first(filter: RequestFilter) {
    const { host } = this.app;
    const moved = host !== this.host;
    const same = !moved && JSON.stringify(filter) === JSON.stringify(this.filter);
    if (!same) this.turn += 1;
    // Rows of one Mac are not shown under the name of another, not even while that one is asked.
    if (moved) {
      this.rows = [];
      this.next = null;
      this.known = false;
      this.host = host;
    }
    const mine = this.turn;
    this.filter = filter;
    const page = await this.app.read("requests.list", { ...filter, limit: this.page });
    if (!page || mine !== this.turn) return;
    const last = page.requests.at(-1);
    const older = same && last ? this.rows.filter((row) => row.id < last.id) : [];
    this.rows = [...page.requests, ...older];
    if (older.length === 0) this.next = page.next;
    this.known = true;
    if (this.rows.length < ENOUGH) await this.more();
  }

  /** Reads the next older page, and goes on while nothing fits: no reading looks through everything at once. */
  async more() {
    if (this.further) return;
    const mine = this.turn;
    this.further = true;
    let found = 0;
    while (this.next !== null && found < ENOUGH && mine === this.turn) {
      const page = await this.app.read("requests.list", {
        ...this.filter,
        before: this.next,
        limit: this.page,
      });
      if (!page || mine !== this.turn) break;
      this.rows = [...this.rows, ...page.requests];
      this.next = page.next;
      found += page.requests.length;
    }
    this.further = false;
  }
}

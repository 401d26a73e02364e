// The fake's history: as long as wanted, read by key, changed as the app would change it.

import type { RequestDetail, RequestFilter, RequestRow, Requests, Submitted } from "../contract";
import { hostileDetail, hostileRows } from "./sample-hostile";
import { detail, older, samples } from "./sample-history";

/** How many rows one reading looks at, as the app does. */
const LOOKED_AT = 20_000;

export class FakeHistory {
  private recent: RequestRow[];
  private made = 0;
  private looks = 0;

  constructor(
    private readonly now: number,
    private readonly long: number,
    private readonly hostile: boolean,
    empty: boolean,
    private readonly tell: () => void,
  ) {
    this.recent = empty ? [] : hostile ? hostileRows(now) : samples(now);
  }

  private at(index: number): RequestRow | undefined {
    const mine = this.recent[index];
    if (mine) return mine;
    const nth = index - this.recent.length;
    return nth < this.long ? older(nth, this.now) : undefined;
  }

  page(filter: RequestFilter): Requests {
    const limit = filter.limit ?? 100;
    let index = 0;
    if (filter.before) {
      const recent = this.recent.findIndex((row) => row.id === filter.before);
      const nth = 900_000_000 - Number(filter.before.slice(-12)) - 10;
      index = (recent >= 0 ? recent : this.recent.length + nth) + 1;
    }
    const requests: RequestRow[] = [];
    for (let looked = 0; looked < LOOKED_AT; looked += 1, index += 1) {
      const row = this.at(index);
      if (!row) return { requests, next: null };
      if (fits(row, filter)) requests.push(row);
      if (requests.length === limit) break;
    }
    return { requests, next: this.at(index + 1) ? (this.at(index)?.id ?? null) : null };
  }

  get(id: string): RequestDetail {
    const row = this.find(id);
    this.looks += 1;
    return this.hostile ? hostileDetail(row) : detail(row, this.looks);
  }

  kill(id: string) {
    const ended = { state: "finished", ending: "killed", exitCode: null, durationMs: 1200 };
    this.change(id, {
      ...ended,
      ...(this.find(id).state === "asking" ? { state: "denied", ending: "user" } : {}),
    });
    return { applied: true };
  }

  /** The same again, which a rule allows and which runs at once. */
  again(like: Partial<RequestRow>): Submitted {
    this.made += 1;
    const id = `0199a1c0-0000-7000-9000-${String(this.made).padStart(12, "0")}`;
    const first = samples(this.now)[2];
    if (!first) throw new Error("there is no sample");
    this.recent = [
      { ...first, ...like, id, at: Date.now(), state: "running", exitCode: null },
      ...this.recent,
    ];
    queueMicrotask(() => {
      this.tell();
      setTimeout(
        () => this.change(id, { state: "finished", ending: "exited", exitCode: 0, durationMs: 4 }),
        0,
      );
    });
    return { id };
  }

  find(id: string): RequestRow {
    const recent = this.recent.find((row) => row.id === id);
    const row = recent ?? this.at(this.recent.length + 900_000_000 - Number(id.slice(-12)) - 10);
    if (!row) throw new Error(`there is no request ${id}`);
    return row;
  }

  private change(id: string, to: Partial<RequestRow>) {
    this.recent = this.recent.map((row) => (row.id === id ? { ...row, ...to } : row));
    this.tell();
  }
}

function fits(
  row: RequestRow,
  { agent, state, decided, rule, since, until, search }: RequestFilter,
): boolean {
  const words = (search ?? "").toLowerCase().split(/\s+/);
  return (
    (!agent || row.agent === agent) &&
    (!state || row.state === state) &&
    (!decided || row.decided === decided) &&
    (!rule || row.rule === rule) &&
    (!since || row.at >= since) &&
    (!until || row.at < until) &&
    words.every((word) => row.line.toLowerCase().includes(word))
  );
}

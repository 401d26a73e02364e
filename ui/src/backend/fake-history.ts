// The fake's history: as long as wanted, read by key, changed as the app would change it.

import type {
  Decision,
  OutputSearch,
  Replayed,
  RequestDetail,
  RequestFilter,
  RequestRow,
  Requests,
  RuleOffers,
  Submitted,
} from "../contract";
import { hidden, outputs } from "./sample-output";
import { ended, grown, hostile, nthOf, offersFor, older, samples } from "./sample-history";

/** How many rows one reading looks at, as the app does. */
const LOOKED_AT = 20_000;

export class FakeHistory {
  private recent: RequestDetail[];
  private readonly ended: RequestDetail[];
  private made = 0;
  private looks = 0;

  constructor(
    private readonly now: number,
    private readonly long: number,
    scene: string,
    private readonly tell: () => void,
  ) {
    this.ended = ended(now);
    const scenes: Record<string, () => RequestDetail[]> = {
      empty: () => [],
      quiet: () => [],
      hostile: () => hostile(now),
      output: () => outputs(samples(now)),
    };
    this.recent = (scenes[scene] ?? (() => samples(now)))();
  }

  private at(index: number): RequestDetail | undefined {
    const mine = this.recent[index];
    if (mine) return mine;
    const nth = index - this.recent.length;
    return nth < this.long ? older(this.ended, nth, this.now) : undefined;
  }

  page(filter: RequestFilter): Requests {
    const limit = filter.limit ?? 100;
    let index = 0;
    if (filter.before) {
      const recent = this.recent.findIndex(({ row }) => row.id === filter.before);
      index = (recent >= 0 ? recent : this.recent.length + nthOf(filter.before)) + 1;
    }
    const requests: RequestRow[] = [];
    for (let looked = 0; looked < LOOKED_AT; looked += 1, index += 1) {
      const found = this.at(index);
      if (!found) return { requests, next: null };
      const { row, cwd } = found;
      if (fits(row, filter) && (!filter.folder || filter.folder === cwd))
        requests.push(filter.secrets ? row : hidden(row).shown);
      if (requests.length === limit) break;
    }
    return { requests, next: this.at(index + 1) ? (this.at(index)?.row.id ?? null) : null };
  }

  /** The newest that printed a text. */
  findOutput({ text, limit }: OutputSearch): Requests {
    const wanted = text.trim().toLowerCase();
    const printed = ({ stdout, stderr }: RequestDetail) =>
      [stdout, stderr].some((stream) => stream?.toLowerCase().includes(wanted));
    const found = this.recent.filter(printed).slice(0, limit ?? 100);
    return { requests: found.map(({ row }) => hidden(row).shown), next: null };
  }

  get(id: string, secrets = false): RequestDetail {
    const found = this.find(id);
    this.looks += 1;
    const detail = grown(found, this.looks - 1);
    if (secrets) return detail;
    const { shown, redacted } = hidden(detail);
    return { ...shown, redacted };
  }

  kill(id: string) {
    const denied = { state: "denied", ending: "user" } as const;
    const killed = { state: "finished", ending: "killed" } as const;
    const end = this.find(id).row.state === "asking" ? denied : killed;
    this.change(id, { ...end, exitCode: null, durationMs: 1200 });
    return { applied: true };
  }

  /** The same again, which runs at once. */
  again(like: RequestDetail, row: Partial<RequestRow> = {}): Submitted {
    this.made += 1;
    const id = `0199a1c0-0000-7000-9000-${String(this.made).padStart(12, "0")}`;
    const live = { id, at: Date.now(), state: "running", ending: null, exitCode: null } as const;
    this.recent = [{ ...like, row: { ...like.row, ...row, ...live } }, ...this.recent];
    queueMicrotask(() => {
      this.tell();
      const ended = { state: "finished", ending: "exited", exitCode: 0, durationMs: 4 } as const;
      setTimeout(() => this.change(id, ended), 0);
    });
    return { id };
  }

  offers(id: string): RuleOffers {
    return offersFor(this.find(id), this.now);
  }

  /** What other settings would have made of the recent requests. */
  replay(agent: string | null | undefined, becomes: Decision): Replayed {
    const was: Decision = becomes === "allow" ? "ask" : "allow";
    const judged = this.recent.filter(({ row }) => row.agent === agent);
    const other = judged.filter(({ row }) => (row.state === "finished") === (was === "allow"));
    const changes = other.map(({ row }) => ({
      request: row.id,
      at: row.at,
      agent: row.agent,
      line: row.line,
      was,
      becomes,
      reason: "policy" as const,
      message: "",
      rule: null,
    }));
    return { judged: judged.length, skipped: 0, changes, next: null };
  }

  find(id: string): RequestDetail {
    const recent = this.recent.find(({ row }) => row.id === id);
    if (recent) return recent;
    const nth = nthOf(id);
    if (!(nth >= 0 && nth < this.long)) throw new Error(`there is no request ${id}`);
    return older(this.ended, nth, this.now);
  }

  private change(id: string, to: Partial<RequestRow>) {
    this.recent = this.recent.map((one) =>
      one.row.id === id ? { ...one, row: { ...one.row, ...to } } : one,
    );
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

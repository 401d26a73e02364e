// Other Macs of the fleet, as far as they can be read: one has rows, one is offline.

import type { FleetHosts, Insights, RequestFilter, Requests, Rules } from "../contract";
import { FakeHistory } from "./fake-history";
import { insights } from "./fake-insights";
import { FakeRules } from "./fake-rules";

const HOSTS = [
  { id: "host-mini", name: "mini-3", groups: ["builds"] },
  { id: "host-away", name: "build-1", groups: ["builds"] },
  { id: "host-studio", name: "studio", groups: ["home"] },
  { id: "host-ci", name: "ci-7", groups: ["builds"] },
];

export class FakeFleet {
  private readonly history: FakeHistory;
  private readonly all: FakeRules;

  constructor(
    private readonly now: number,
    private readonly joined: () => boolean,
  ) {
    const nothing = () => undefined;
    this.history = new FakeHistory(now, 0, "", nothing);
    this.all = new FakeRules(now, 0, false, false, nothing);
  }

  list(): FleetHosts {
    return this.joined() ? { hosts: HOSTS, groups: ["home"] } : { hosts: [], groups: [] };
  }

  requests(host: string, filter: RequestFilter): Requests {
    this.reach(host);
    const page = this.history.page(filter);
    return { ...page, requests: page.requests.map((row) => ({ ...row, agent: "nightly" })) };
  }

  rules(host: string): Rules {
    this.reach(host);
    return { rules: this.all.all() };
  }

  insights(host: string, days: number): Insights {
    this.reach(host);
    return insights(this.now, days, this.all.all(), null);
  }

  private reach(id: string) {
    const host = HOSTS.find((one) => one.id === id);
    if (host?.id !== "host-mini") throw new Error(`${host?.name ?? id} is offline`);
  }
}

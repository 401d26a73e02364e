// The fleet of the fake backend: it is started, joined and left as the host's is. A Mac comes with its code at the third look.

import type {
  ChangeReplay,
  FleetBlock,
  FleetBlocked,
  FleetDetail,
  FleetInvite,
  FleetJoin,
  FleetMember,
  FleetMemberChange,
  FleetOverview,
  FleetPairing,
  FleetPlan,
  FleetStart,
  ProposedChange,
} from "../contract";

const DIGITS = "407193";
const START = "launchctl bootstrap gui/$(id -u) '/Users/kim/Library/LaunchAgents/dev.postern.broker.plist'";

function host(id: string, name: string, groups: string[], more: Partial<FleetMember> = {}) {
  const nothing = { person: "", own: false, approves: null, state: null };
  return { id, device: id, name, roles: ["host"], groups, ...nothing, ...more } as FleetMember;
}

function person(id: string, name: string, who: string, groups: string[], more: Partial<FleetMember> = {}) {
  const approves = { groups, risk: "dangerous", onceOnly: false } as const;
  return {
    id,
    device: id,
    name,
    person: who,
    own: false,
    roles: ["approver"],
    groups: [],
    approves,
    state: null,
    ...more,
  } as FleetMember;
}

function founded(name: string, who: string, group: string): FleetMember[] {
  const roles: FleetMember["roles"] = ["owner", "publisher", "approver"];
  return [
    person("me", name, who, [group], { own: true, roles }),
    host("here", name, [group], { own: true, device: "me" }),
  ];
}

const TEAM = [
  ...founded("MacBook", "Mara", "home"),
  host("host-mini", "mini-3", ["builds"]),
  host("host-away", "build-1", ["builds"]),
  host("host-studio", "studio", ["home"], { state: { blocked: true, until: null } }),
  host("host-ci", "ci-7", ["builds"]),
  person("noor", "Noor’s MacBook", "Noor", ["builds"], {
    approves: { groups: ["builds"], risk: "needs-review", onceOnly: true },
  }),
  person("odd", "old \\u{202e}tablet", "Ada", [], { roles: ["auditor"], approves: null }),
];

/** What waits where two people sign: a revocation, a policy, and what nobody can sign. */
const PROPOSALS: ProposedChange[] = [
  {
    id: "3fa91c02aa11bb22",
    group: null,
    lines: [
      "signed by Ines; missing: 1 of Mara",
      "roster 9 after 8",
      "- Noor’s MacBook (noor)  Noor, approves what needs review for builds, once only",
      "- old \\u{202e}tablet (odd)  Ada, auditor",
    ],
    needs: { role: "owner", missing: 1, people: ["Mara"] },
    problem: null,
    own: true,
  },
  {
    id: "77c0d1e2f3a4b5c6",
    group: "builds",
    lines: [
      "signed by Ines; missing: 1 of Mara, Noor",
      "builds/5#a91c for mini-3",
      '+ {"effect":"deny","text":"git push *"}',
      "4 rules, 3 of them as before",
    ],
    needs: { role: "publisher", missing: 1, people: ["Mara", "Noor"] },
    problem: null,
    own: true,
  },
  {
    id: "0badc0de0badc0de",
    group: "home",
    lines: [],
    needs: null,
    problem: "it was made before the present version: withdraw it, and make the change again",
    own: false,
  },
];

export class FakeMembers {
  private fleet: FleetDetail | null;
  private pairing: FleetPairing | null = null;
  private invited: FleetInvite | null = null;
  private planned: FleetStart | null = null;
  private looks = 0;
  /** Whether two owners have to sign. */
  private readonly several: boolean;

  constructor(
    private readonly now: number,
    scene: string,
  ) {
    this.fleet = scene.startsWith("fleet") ? this.detail(TEAM) : null;
    if (this.fleet && scene === "fleet-broken")
      this.fleet = {
        ...this.fleet,
        connected: false,
        problem: "the fleet's broker cannot be reached: Connection refused",
        contactAt: now - 26 * 3_600_000,
        freshAt: now - 26 * 3_600_000,
        freshUntil: now - 2 * 3_600_000,
      };
    if (this.fleet && scene === "fleet-signatures") this.fleet = { ...this.fleet, proposals: PROPOSALS };
    this.several = scene === "fleet-signatures";
  }

  get joined() {
    return this.fleet !== null;
  }

  get(): FleetOverview {
    this.looks += 1;
    if (this.pairing?.state === "waiting" && this.looks > 2)
      this.pairing = { ...this.pairing, state: "comparing", digits: DIGITS, asks: true, answers: true };
    else if (this.pairing?.state === "accepted" && this.several && this.looks < 6)
      this.pairing = { ...this.pairing, needs: { role: "owner", missing: 1, people: ["Ines"] } };
    else if (this.pairing?.state === "accepted") {
      const { name, person: who, approves } = this.invited as FleetInvite;
      const device = "new-host";
      const news = [
        host(device, name, approves.groups),
        person("new", name, who, approves.groups, { device }),
      ];
      this.fleet = this.detail([...(this.fleet?.members ?? []), ...news]);
      this.pairing = { ...this.pairing, state: "joined", code: null, needs: null };
    } else if (this.pairing?.state === "comparing" && this.pairing.name === null && this.looks > 2) {
      this.fleet = { ...this.detail(TEAM), owner: false, brokerStart: null };
      this.pairing = { ...this.pairing, state: "joined" };
    }
    return { fleet: this.fleet, pairing: this.pairing };
  }

  plan(asked: FleetStart): FleetPlan {
    this.planned = asked;
    if ("existing" in asked.broker) {
      if (!asked.broker.existing.server.startsWith("tls://"))
        throw new Error("the server's address is tls://HOST:PORT");
      return { id: "plan", files: [], brokerStart: null, onlyHere: false };
    }
    const { listen } = asked.broker.own;
    if (!/^\d+\.\d+\.\d+\.\d+:\d+$/.test(listen))
      throw new Error("the broker's address is an IP address and a port: 192.168.1.2:7720");
    const files = [
      {
        path: "/Users/kim/Library/Application Support/Postern/fleet/broker/broker.conf",
        text: `listen: "${listen}"\nserver_name: postern\njetstream { sync_interval: always }\n`,
      },
      {
        path: "/Users/kim/Library/LaunchAgents/dev.postern.broker.plist",
        text: '<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict>…</dict></plist>\n',
      },
    ];
    return { id: "plan", files, brokerStart: START, onlyHere: listen.startsWith("127.") };
  }

  start(): FleetOverview {
    const { name, person: who, group } = this.planned as FleetStart;
    this.fleet = { ...this.detail(founded(name, who, group)), connected: false, problem: "connecting" };
    return this.get();
  }

  invite(asked: FleetInvite): FleetOverview {
    const odd = asked.approves.groups.find((group) => !/^[a-z0-9-]+$/.test(group));
    if (odd !== undefined) throw new Error(`group "${odd}": an id is 1 to 64 of a-z, 0-9 and -`);
    this.invited = asked;
    this.begin({ name: asked.name, code: `pf1.${"eyJmbGVldCI6IjNmMmEi".repeat(12)}` });
    return this.get();
  }

  join({ code, asks, answers }: FleetJoin): FleetOverview {
    if (!code.startsWith("pf1."))
      throw new Error("this is not the code of an invitation: it begins with pf1.");
    this.begin({ state: "comparing", digits: DIGITS, asks, answers });
    return this.get();
  }

  pair(digits: string | null): FleetOverview {
    this.pairing = digits === null || !this.pairing ? null : { ...this.pairing, state: "accepted" };
    return { fleet: this.fleet, pairing: this.pairing };
  }

  change({ member: id, roles, groups, risk, onceOnly }: FleetMemberChange): FleetOverview {
    const known = this.fleet as FleetDetail;
    if (id === "me" && roles?.includes("owner") === false)
      throw new Error("MacBook is the last owner: make another member an owner first");
    if (this.several) return this.propose(`+ ${id}`);
    const changed = (one: FleetMember): FleetMember => {
      if (one.roles.includes("host")) return { ...one, groups: groups ?? one.groups };
      const now = roles ?? one.roles;
      const before = one.approves ?? { groups: [], risk: "dangerous", onceOnly: false };
      const approves = {
        groups: groups ?? before.groups,
        risk: risk ?? before.risk,
        onceOnly: onceOnly ?? before.onceOnly,
      };
      return { ...one, roles: now, approves: now.includes("approver") ? approves : null };
    };
    const members = known.members.map((one) => (one.id === id ? changed(one) : one));
    if (JSON.stringify(members) !== JSON.stringify(known.members))
      this.fleet = { ...this.detail(members), roster: known.roster + 1 };
    return this.get();
  }

  /** Signs a change: those that were shown count with one signature more. */
  sign(id: string): FleetOverview {
    const one = this.fleet?.proposals.find((found) => found.id === id);
    if (one?.group === null) this.revokeAll(["noor", "odd"]);
    return this.withdraw(id);
  }

  /** The fleet as it is: nothing is looked for at a broker. */
  proposals(): FleetOverview {
    return { fleet: this.fleet, pairing: this.pairing };
  }

  withdraw(id: string): FleetOverview {
    if (!this.fleet?.proposals.some((one) => one.id === id))
      throw new Error("no such change waits any more: look again");
    this.fleet = { ...this.fleet, proposals: this.fleet.proposals.filter((one) => one.id !== id) };
    return this.get();
  }

  replay(): ChangeReplay {
    return {
      lines: ["mini-3: 3 of 120 requests would be judged differently", "    allow -> deny  git push origin"],
    };
  }

  private propose(line: string): FleetOverview {
    const known = this.fleet as FleetDetail;
    const change: ProposedChange = {
      id: "5e1f5e1f5e1f5e1f",
      group: null,
      lines: ["signed by Mara; missing: 1 of Ines", line],
      needs: { role: "owner", missing: 1, people: ["Ines"] },
      problem: null,
      own: false,
    };
    this.fleet = { ...known, proposals: [...known.proposals, change] };
    return this.get();
  }

  private revokeAll(ids: string[]) {
    const known = this.fleet as FleetDetail;
    const members = known.members.filter(({ id }) => !ids.includes(id));
    this.fleet = { ...this.detail(members), proposals: known.proposals };
  }

  revoke(member: string): FleetOverview {
    if (this.several) return this.propose(`- ${member}`);
    this.fleet = this.detail((this.fleet?.members ?? []).filter(({ id }) => id !== member));
    return this.get();
  }

  leave(): FleetOverview {
    this.fleet = null;
    return this.get();
  }

  block({ hosts, end }: FleetBlock): FleetBlocked {
    const all = (this.fleet?.members ?? []).filter(({ roles }) => roles.includes("host"));
    const meant = all.filter(({ id, groups }) => hosts === "all" || hosts === id || groups.includes(hosts));
    const changed = meant.filter(({ id, own }) => id !== "host-away" && !own).map(({ id }) => id);
    if (this.fleet) {
      const state = { blocked: !end, until: null };
      const now = (one: FleetMember) => (changed.includes(one.id) ? { ...one, state } : one);
      this.fleet = { ...this.fleet, members: this.fleet.members.map(now) };
    }
    const reply = ({ id, name }: FleetMember) =>
      ({ name, outcome: id === "host-away" ? "offline" : "done", problem: null }) as const;
    return { hosts: meant.map(reply) };
  }

  private begin(shown: Partial<FleetPairing>) {
    this.looks = 0;
    const nothing = {
      name: null,
      code: null,
      digits: null,
      asks: false,
      answers: false,
      needs: null,
      problem: null,
    };
    this.pairing = { state: "waiting", ...nothing, ...shown };
  }

  private detail(members: FleetMember[]): FleetDetail {
    const names = [
      ...new Set(members.flatMap(({ groups, approves }) => [...groups, ...(approves?.groups ?? [])])),
    ];
    return {
      id: "3f2a",
      server: "tls://192.168.1.2:7720",
      connected: true,
      problem: null,
      contactAt: this.now,
      roster: members.length,
      freshAt: this.now - 12 * 60_000,
      freshUntil: this.now + 23 * 3_600_000,
      owner: true,
      unconfirmed: false,
      brokerStart: START,
      credentials: false,
      proposals: this.fleet?.proposals ?? [],
      work: { running: 0, begun: 0, refused: 0 },
      members,
      groups: names.sort().map((name) => ({
        name,
        hosts: members.filter(({ groups }) => groups.includes(name)).map((one) => one.name),
        approvers: members
          .filter(({ approves }) => approves?.groups.includes(name))
          .map((one) => `${one.person} on ${one.name}`),
      })),
    };
  }
}

// The pages of the main window, and the address that each has.

/** What the list of requests is narrowed to when it opens. */
export interface Narrowed {
  agent?: string;
  /** A state or a kind of decision. */
  outcome?: string;
  /** A kind of effect. */
  effect?: string;
  folder?: { path: string; text: string };
  rule?: { id: number; text: string };
  since?: number;
  until?: number;
}

/** The parts of the settings. `skills` and `fleet` are parts of the integrations, `about` has no tab. */
export const TABS = [
  "general",
  "questions",
  "privacy",
  "doors",
  "skills",
  "fleet",
  "advanced",
  "about",
] as const;
export type Tab = (typeof TABS)[number];

/** The parts of an agent's page. */
export const AGENT_TABS = ["overview", "rules", "connection", "advanced"] as const;
export type AgentTab = (typeof AGENT_TABS)[number];

export type Page =
  | { kind: "inbox" }
  | { kind: "activity"; narrowed?: Narrowed; request?: string }
  | { kind: "rules"; search?: string }
  | { kind: "insights" }
  | { kind: "settings"; tab: Tab; find?: string | undefined }
  | { kind: "add" }
  | { kind: "welcome" }
  | { kind: "agent"; id: string; tab?: AgentTab; rule?: number; find?: string };

/** The pages of the sidebar, in the order of their keys. */
export const PLACES = ["inbox", "activity", "rules", "insights"] as const;

const own = [...PLACES, "add", "welcome"] as const;

/** Before a request's number in an address. */
const REQUEST = "request.";

/** The page that an address ends with: `#inbox`, `#rules`, `#settings`, a part of the settings with what to find
 * there (`#privacy?find=Storage`), or an agent's name with a part of its page (`#builder/rules`). */
export function pageOf(fragment: string): Page {
  const [name = "", query] = fragment.replace(/^#/, "").split("?");
  if (name === "") return { kind: "inbox" };
  if (name === "settings") return { kind: "settings", tab: "general" };
  if (name.startsWith(REQUEST)) return { kind: "activity", request: name.slice(REQUEST.length) };
  const page = own.find((kind) => kind === name);
  const tab = TABS.find((one) => one === name);
  if (page) return { kind: page };
  if (tab) return { kind: "settings", tab, find: new URLSearchParams(query).get("find") ?? undefined };
  const [id = "", part] = name.split("/");
  const of = AGENT_TABS.find((one) => one === part);
  return of ? { kind: "agent", id, tab: of } : { kind: "agent", id };
}

/** The end of a page's address: the reverse of {@link pageOf}. */
export function addressOf(page: Page): string {
  if (page.kind === "settings") {
    const { tab, find } = page;
    return find === undefined ? tab : `${tab}?${new URLSearchParams({ find }).toString()}`;
  }
  if (page.kind === "agent") return page.tab ? `${page.id}/${page.tab}` : page.id;
  return page.kind;
}

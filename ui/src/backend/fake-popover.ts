// The popover's stand-in: what the settings' stand-in holds, at a glance.

import type { Overview } from "../contract";
import type { PopoverBackend, PopoverItem } from "./backend";
import type { FakeSettings } from "./fake-settings";

const live = new Set(["received", "resolving", "starting", "running", "stopping"]);

export class FakePopover implements PopoverBackend {
  /** What was done, and how high the page was. */
  readonly done: PopoverItem[] = [];
  height = 0;
  private show: (overview: Overview) => void = () => undefined;

  constructor(private readonly settings: FakeSettings) {}

  watch(show: (overview: Overview) => void) {
    this.show = show;
    void this.tell();
    return () => (this.show = () => undefined);
  }

  async laidOut(height: number) {
    this.height = height;
  }

  async act(item: PopoverItem) {
    this.done.push(item);
    if (item === "block-hour") await this.settings.call("pause", { forMs: 3_600_000 });
    if (item === "unblock") await this.settings.call("resume", {});
    if (item.startsWith("stop:"))
      await this.settings.call("requests.kill", { id: item.slice(5), signal: null });
    await this.tell();
  }

  /** Reads everything again and shows it; with `lost`, as if the host had stopped. */
  async tell(lost = false) {
    const { requests } = await this.settings.call("requests.list", { limit: 30 });
    const rows = requests.filter(({ state }) => state !== "asking");
    const { agents } = await this.settings.call("agents.list", {});
    this.show({
      status: await this.settings.call("status", {}),
      agents: agents.map(({ id, name, color }) => ({ id, name, color })),
      questions: (await this.settings.call("questions.list", {})).questions,
      running: rows.filter(({ state }) => live.has(state)).slice(0, 5),
      recent: rows.filter(({ state }) => !live.has(state)).slice(0, 5),
      lost,
    });
  }
}

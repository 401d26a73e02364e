// Doors of the fake backend: they open, refuse what is wrong, and connect, as the host's do.

import type { DoorEnable, DoorKind, DoorRow, DoorSetup } from "../contract";
import { lists } from "./sample-lists";

/** The doors that a host has, one of them open to two clients. */
function rows(now: number): DoorRow[] {
  const clients = [
    { id: "d1", name: "Kim’s phone", pairedAt: now, seenAt: now - 60_000, connected: true },
    { id: "d2", name: "old \\u{202e}tablet", pairedAt: now, seenAt: now - 9 * 86_400_000, connected: false },
  ];
  return lists(now)["doors.list"].doors.map((row) =>
    row.door === "websocket"
      ? { ...row, state: "open", values: { listen: "192.168.1.2:7717" }, clients }
      : row,
  );
}

export class FakeDoors {
  private rows: DoorRow[];

  constructor(now: number, empty: boolean) {
    this.rows = empty
      ? rows(now).map((row) => ({ ...row, state: "off", values: {}, clients: [] }))
      : rows(now);
  }

  list(): DoorRow[] {
    return this.rows;
  }

  enable({ door, values = {} }: DoorEnable): DoorRow {
    const listen = values["listen"] ?? "";
    if (listen !== "" && !/^.+:\d+$/.test(listen))
      throw new Error("listen is an address and a port: 127.0.0.1:7717, or [::1]:7717");
    return this.change(door, (row) => {
      const secret = (key: string) => row.settings.some((one) => one.key === key && one.kind === "secret");
      const typed = Object.entries(values);
      const open = { ...row.values, ...Object.fromEntries(typed.filter(([key]) => !secret(key))) };
      return {
        ...row,
        state: "open",
        values: Object.fromEntries(Object.entries(open).filter(([, text]) => text !== "")),
        secrets: [...row.secrets, ...typed.map(([key]) => key).filter(secret)],
      };
    });
  }

  disable(door: DoorKind): DoorRow {
    return this.change(door, (row) => ({ ...row, state: "off" }));
  }

  setup(door: DoorKind): DoorSetup {
    const values = {
      url: "wss://192.168.1.2:7717/",
      pairingCode: "K7Q2-M4XD",
      fingerprint: "9f:3a:c4:1e:07:bd",
    };
    return { door, values, text: `Connect a client to ${values.url} and give it this pairing code.\n` };
  }

  revoke(door: DoorKind, client: string): DoorRow {
    return this.change(door, (row) => ({ ...row, clients: row.clients.filter(({ id }) => id !== client) }));
  }

  private change(door: DoorKind, how: (row: DoorRow) => DoorRow): DoorRow {
    this.rows = this.rows.map((row) => (row.door === door ? how(row) : row));
    const changed = this.rows.find((row) => row.door === door);
    if (!changed) throw new Error(`there is no door ${door}`);
    return changed;
  }
}

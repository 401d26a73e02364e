import { expect, it } from "vitest";
import { FakeMembers } from "../../backend/fake-members";
import type { FleetMember } from "../../contract";
import { devicesOf } from "./devices";

const members = new FakeMembers(0, "fleet").get().fleet?.members ?? [];
const ids = (all: typeof members) => devicesOf(all).map((device) => device.map(({ id }) => id));

it("a Mac’s host and its person are one device", () => {
  expect(ids(members).slice(0, 2)).toEqual([["me", "here"], ["host-mini"]]);
  expect(ids(members).flat()).toEqual(members.map(({ id }) => id));
});

it("a second host, and another’s of the same name, are devices of their own", () => {
  const [person, host] = members as [FleetMember, FleetMember];
  const other = (id: string, own: boolean) => ({ ...host, id, own });
  expect(ids([person, other("a", false), other("b", true), other("c", true)])).toEqual([
    ["me", "b"],
    ["a"],
    ["c"],
  ]);
});

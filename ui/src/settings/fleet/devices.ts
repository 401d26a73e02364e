// The members of a fleet by device.

import type { FleetMember } from "../../contract";

const isHost = ({ roles }: FleetMember) => roles.includes("host");

/** The members by device: a host and a person of the same name are one, if both or none are this Mac's own. */
export function devicesOf(members: FleetMember[]): [FleetMember, ...FleetMember[]][] {
  const devices: [FleetMember, ...FleetMember[]][] = [];
  for (const member of members) {
    const fits = (other: FleetMember) =>
      other.name === member.name && other.own === member.own && isHost(other) !== isHost(member);
    const known = devices.find((device) => device.every(fits));
    if (known) known.push(member);
    else devices.push([member]);
  }
  return devices;
}

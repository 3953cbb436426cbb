// Packet formats: the sizes of the packets on the wire, as sets that belong together. The defaults of settings are
// those of rocev2; a setting names that of simai beside it. rocev2, byte by byte: Ethernet 14 + FCS 4, IPv4 20, UDP 8,
// base transport header 12, ICRC 4 make 62 around the payload, which an MTU limits to 4096; an AETH of 4 in place of
// the payload makes an ACK of 66, 16 reserved bytes a CNP of 78; a PFC frame is the shortest Ethernet frame, 64.
// Preamble 8 and inter-frame gap 12 use the link, but no buffer. Source: InfiniBand Architecture Specification 1.4, 5.2
// and annex A17; IEEE 802.3, 4.2. simai: the sizes of SimAI's shipped configuration (docs/models/simai.md#packets),
// which sends packets back to back. How a switch sets headroom apart goes with it: rocev2 as IEEE 802.1Qbb wants it,
// which loses nothing; simai as SimAI does, whose figures are to be met; when senders send again
// (transport/retransmission-waits.ts), where simai keeps the one time with which its figures were compared, as SimAI
// has none; the queue pairs of a flow, of which SimAI hashes one; and HPCC's additive increase (congestion/hpcc/),
// where simai has the constant of SimAI's conf. Not modelled: RETH (16 more bytes on the first packet of a write), VLAN
// tags (4), IPv6 (20), jumbo preambles of other media.

import type { Setting, SettingGroup } from '../../base/settings.js';

export type PacketProfile = 'rocev2' | 'simai';

/** The largest MTU of InfiniBand and RoCE: no NIC puts more payload into a packet. */
export const largestRoceMtuBytes = 4096;

/** What a setting has where its default depends on the packet profile. */
export interface WithProfiles {
  /** the default, as a scenario writes it, of each profile that does not have the setting's own */
  readonly profiles: { readonly simai: string | number };
}

/** A setting whose default is another one with the packet profile simai; its description says so. */
export function inSimai<const S extends Setting>(simai: string | number, setting: S): S & WithProfiles {
  const description: string = `${setting.description} (profile simai: ${simai})`;
  return Object.assign({}, setting, { description, profiles: { simai } });
}

/** Whether the packet profile gives a setting that is not given itself. */
export function hasProfiles(setting: Setting): setting is Setting & WithProfiles {
  return 'profiles' in setting;
}

/** Groups of settings with what a packet profile gives as defaults. */
export function withProfile<Name extends string>(
  groups: Readonly<Record<Name, SettingGroup>>,
  profile: PacketProfile,
): Readonly<Record<Name, SettingGroup>> {
  const entries = Object.entries(groups) as [Name, SettingGroup][];
  return Object.fromEntries(entries.map(([name, group]) => [name, groupWithProfile(group, profile)])) as Record<
    Name,
    SettingGroup
  >;
}

/** One group of settings with what a packet profile gives as defaults. */
export function groupWithProfile<G extends SettingGroup>(group: G, profile: PacketProfile): G {
  if (profile === 'rocev2') return group;
  const entries = Object.entries(group).map(([name, setting]) => [
    name,
    hasProfiles(setting) ? { ...setting, default: setting.profiles[profile] } : setting,
  ]);
  return Object.fromEntries(entries) as G;
}

// The few parameters that a calibration fits, and how each changes a profile: base latencies by protocol, latencies per
// hop by kind of link, the latency of a transfer, of posting a send and of a rendezvous, shares of links' rates, of a
// user's own sends and of NVLS.
// Latencies keep the proportions between algorithms that the base has: a table tells a factor of them, not every entry.
// Invariant: with every parameter at its start the profile is its base.

import type { CalibratedProfile } from '../../collectives/calibrated-profile.js';
import type { OtherLatencies } from '../../collectives/hardware-figures.js';
import type { LatencyTable } from '../../collectives/nccl-figures.js';
import { type PathKind, type Protocol, protocols, tunedAlgorithms } from '../../collectives/protocols.js';
import { type TakenFigures, withFigures } from '../../collectives/taken-figures.js';

/** One figure that is fitted. */
export interface ProfileParameter {
  readonly name: string;
  /** `times`: of the base's figures; `B`: a threshold, which is chosen and not fitted */
  readonly unit: 'times' | 'us' | 'share' | 'B';
  readonly start: number;
  readonly least: number;
  readonly most: number;
  /** how far from its start it goes readily; of `times` and `share` in halves of logarithms, about */
  readonly spread: number;
  readonly change: (profile: CalibratedProfile, value: number) => CalibratedProfile;
}

const links: readonly (readonly [name: string, path: PathKind])[] = [
  ['nvlink', 'nvlink'],
  ['pcie', 'pci'],
  ['network', 'network'],
];

type Change = ProfileParameter['change'];

/** A factor of the base's latencies. */
function factor(name: string, change: Change): ProfileParameter {
  return { name, unit: 'times', start: 1, least: 0.05, most: 20, spread: 0.7, change };
}

/** A share of a rate. */
function share(name: string, start: number, change: Change): ProfileParameter {
  return { name, unit: 'share', start, least: 0.05, most: 1, spread: 0.15, change };
}

/** All parameters. @param base what the base takes on the GPUs of the fabric: where they start */
export function profileParameters({
  tables,
  transferLatencyPs,
  shares,
  sendsShare,
  postUs = 0,
  nvls,
}: TakenFigures): ProfileParameter[] {
  return [
    ...protocols.map((protocol) =>
      factor(`latency.base ${protocol}`, (profile, value) =>
        withFigures(profile, { baseUs: scaled(tables.baseUs, value, [protocol]) }),
      ),
    ),
    ...links.map(([name, path]) =>
      factor(`latency.hop.${name}`, (profile, value) =>
        withFigures(profile, { hopUs: { [path]: scaled(tables.hopUs[path], value, protocols) } }),
      ),
    ),
    {
      name: 'latency.transfer',
      unit: 'us',
      start: transferLatencyPs / 1e6,
      least: 0,
      most: 1000,
      spread: 3,
      change: (profile, value) => withFigures(profile, { transferLatencyPs: Math.round(value * 1e3) * 1e3 }),
    },
    {
      name: 'latency.post',
      unit: 'us',
      start: postUs,
      least: 0,
      most: 100,
      spread: 1,
      change: (profile, value) => withFigures(profile, { postUs: Math.round(value * 1e3) / 1e3 }),
    },
    ...links.map(([name, path]) =>
      share(`bandwidth.${name}`, shares[path].simple, (profile, value) =>
        withFigures(profile, { shares: { [path]: scaledShares(shares[path], value) } }),
      ),
    ),
    share('bandwidth.sends', sendsShare, (profile, value) => withFigures(profile, { sendsShare: sixDigits(value) })),
    ...(nvls.linkShare === 0
      ? []
      : [
          share('bandwidth.nvls', nvls.linkShare, (profile, value) =>
            withFigures(profile, { nvlsLinkShare: sixDigits(value) }),
          ),
        ]),
  ];
}

/** Bytes up to which a move may wait for no rendezvous. */
export const rendezvousThresholds: readonly number[] = [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072];

/**
 * A rendezvous: its bytes, which are chosen among rendezvousThresholds, and its latency. @param base of the GPUs at
 * hand
 */
export function rendezvousParameters({ rendezvous }: TakenFigures): readonly [ProfileParameter, ProfileParameter] {
  return [
    {
      name: 'latency.rendezvousAbove',
      unit: 'B',
      start: rendezvous?.aboveBytes ?? 0,
      least: 0,
      most: rendezvousThresholds.at(-1)!,
      spread: 1,
      change: (profile, value) => withFigures(profile, { rendezvousAboveBytes: value }),
    },
    {
      name: 'latency.rendezvous',
      unit: 'us',
      start: (rendezvous?.latencyPs ?? 0) / 1e6,
      least: 0,
      most: 1000,
      spread: 10,
      change: (profile, value) => withFigures(profile, { rendezvousPs: Math.round(value * 1e3) * 1e3 }),
    },
  ];
}

/** How far a value is from its start, in spreads. */
export function distanceOf({ unit, start, spread }: ProfileParameter, value: number): number {
  return (unit === 'us' ? value - start : (value - start) / Math.sqrt(value * start)) / spread;
}

/** Latencies of some protocols times a factor, to whole nanoseconds. */
function scaled(table: LatencyTable, factor: number, among: readonly Protocol[]): OtherLatencies {
  return Object.fromEntries(
    tunedAlgorithms.map((algorithm) => [
      algorithm,
      Object.fromEntries(
        among.flatMap((protocol) => {
          const us = table[algorithm][protocols.indexOf(protocol)]!;
          return us === null || us === 0 ? [] : [[protocol, factor === 1 ? us : Math.round(us * factor * 1e3) / 1e3]];
        }),
      ),
    ]),
  );
}

/** The shares of a link in their proportions, of which that of Simple is given. */
function scaledShares(own: Readonly<Record<Protocol, number>>, simple: number): Record<Protocol, number> {
  const of = (protocol: Protocol): number => sixDigits(Math.min(1, (own[protocol] * simple) / own.simple));
  return { ll: of('ll'), ll128: of('ll128'), simple: sixDigits(simple) };
}

/** What a profile file keeps of a share. */
export function sixDigits(value: number): number {
  return Number(value.toPrecision(6));
}

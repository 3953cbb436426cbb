// The few parameters that a calibration fits, and how each changes a profile: base latencies by protocol, latencies per
// hop by kind of link, the latency of a transfer, shares of links' rates, the share of NVLS.
// Latencies keep the proportions between algorithms that the base has: a table tells a factor of them, not every entry.
// Invariant: with every parameter at its start the profile is its base.

import type { CalibratedProfile } from '../../collectives/calibrated-profile.js';
import type { LatencyTable } from '../../collectives/nccl-figures.js';
import { type PathKind, type Protocol, protocols, tunedAlgorithms } from '../../collectives/protocols.js';

/** One figure that is fitted. */
export interface ProfileParameter {
  readonly name: string;
  /** `times`: of the base's figures */
  readonly unit: 'times' | 'us' | 'share';
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

/** All parameters. @param nvlsShare of the base for the GPUs of the fabric; 0: they have no NVLS */
export function profileParameters(nvlsShare: number): ProfileParameter[] {
  return [
    ...protocols.map((protocol, column) =>
      factor(`latency.base ${protocol}`, (profile, value) => {
        const baseUs = scaled(profile.figures.baseUs, value, (own) => own === column);
        return { ...profile, figures: { ...profile.figures, baseUs } };
      }),
    ),
    ...links.map(([name, path]) =>
      factor(`latency.hop.${name}`, (profile, value) => {
        const hopUs = { ...profile.figures.hopUs, [path]: scaled(profile.figures.hopUs[path], value, () => true) };
        return { ...profile, figures: { ...profile.figures, hopUs } };
      }),
    ),
    {
      name: 'latency.transfer',
      unit: 'us',
      start: 0,
      least: 0,
      most: 1000,
      spread: 3,
      change: (profile, value) => ({ ...profile, transferLatencyPs: Math.round(value * 1e3) * 1e3 }),
    },
    ...links.map(([name, path]) =>
      share(`bandwidth.${name}`, 1, (profile, value) => ({
        ...profile,
        shares: { ...profile.shares, [path]: allProtocols(sixDigits(value)) },
      })),
    ),
    ...(nvlsShare === 0
      ? []
      : [
          share('bandwidth.nvls', nvlsShare, (profile, value) => ({
            ...profile,
            figures: { ...profile.figures, nvlsLinkShare: nvlsOf(profile, value) },
          })),
        ]),
  ];
}

/** How far a value is from its start, in spreads. */
export function distanceOf({ unit, start, spread }: ProfileParameter, value: number): number {
  return (unit === 'us' ? value - start : (value - start) / Math.sqrt(value * start)) / spread;
}

/** Latencies times a factor, to whole nanoseconds. */
function scaled(table: LatencyTable, factor: number, isColumn: (column: number) => boolean): LatencyTable {
  return Object.fromEntries(
    tunedAlgorithms.map((algorithm) => [
      algorithm,
      table[algorithm].map((us, column) =>
        us === null || factor === 1 || !isColumn(column) ? us : Math.round(us * factor * 1e3) / 1e3,
      ),
    ]),
  ) as unknown as LatencyTable;
}

function allProtocols(share: number): Record<Protocol, number> {
  return { ll: share, ll128: share, simple: share };
}

function nvlsOf({ figures }: CalibratedProfile, value: number): CalibratedProfile['figures']['nvlsLinkShare'] {
  const { volta, ampere, hopper, blackwell } = figures.nvlsLinkShare;
  const changed = (own: number): number => (own === 0 ? 0 : sixDigits(value));
  return { volta: changed(volta), ampere: changed(ampere), hopper: changed(hopper), blackwell: changed(blackwell) };
}

/** What a profile file keeps of a share. */
export function sixDigits(value: number): number {
  return Number(value.toPrecision(6));
}

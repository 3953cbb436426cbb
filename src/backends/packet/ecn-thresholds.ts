// The queue lengths at which switches mark packets, by the rate of the port: one line of the table, its settings, and
// the tables of runs that give none.
// Invariant: below the minimum no packet is marked, above the maximum every one.
// Source: SimAI's shipped SimAI.conf (docs/SOURCES.md#simai).

import { fraction, rate, type SettingGroup, size } from '../../base/settings.js';

/** One line of the ECN table: thresholds of the output ports of one rate. */
export interface EcnThreshold {
  readonly rateBps: number;
  /** below it no packet is marked, in bytes of the output queue */
  readonly minimumBytes: number;
  /** above it every packet is marked */
  readonly maximumBytes: number;
  /** marking probability just below the maximum */
  readonly probability: number;
}

/** One line of `ecn.thresholds`; every field is needed. */
export const thresholdSettings = {
  rate: rate('100Gbps', 'rate of the output ports that this line is for'),
  minimum: size('400kB', 'queue length from which packets are marked'),
  maximum: size('1600kB', 'queue length above which every packet is marked'),
  probability: fraction(0.2, 'probability of a mark just below the maximum'),
} as const satisfies SettingGroup;

/** SimAI's shipped KMIN_MAP, KMAX_MAP and PMAX_MAP (kilobytes of 1000). */
export const shippedEcnThresholds: readonly EcnThreshold[] = [
  { rateBps: 25e9, minimumBytes: 100e3, maximumBytes: 400e3, probability: 0.2 },
  { rateBps: 50e9, minimumBytes: 200e3, maximumBytes: 800e3, probability: 0.2 },
  { rateBps: 100e9, minimumBytes: 400e3, maximumBytes: 1600e3, probability: 0.2 },
  { rateBps: 200e9, minimumBytes: 300e3, maximumBytes: 1200e3, probability: 0.8 },
  { rateBps: 400e9, minimumBytes: 800e3, maximumBytes: 3200e3, probability: 0.2 },
  { rateBps: 1600e9, minimumBytes: 600e3, maximumBytes: 2400e3, probability: 0.2 },
];

/**
 * The thresholds of a run that gives none: SimAI's, and in their proportion other common rates: 10 to 56 Gb/s to 100,
 * 800 to 400 Gb/s.
 */
export const defaultEcnThresholds: readonly EcnThreshold[] = [
  { rateBps: 10e9, minimumBytes: 40e3, maximumBytes: 160e3, probability: 0.2 },
  { rateBps: 40e9, minimumBytes: 160e3, maximumBytes: 640e3, probability: 0.2 },
  { rateBps: 56e9, minimumBytes: 224e3, maximumBytes: 896e3, probability: 0.2 },
  { rateBps: 800e9, minimumBytes: 1600e3, maximumBytes: 6400e3, probability: 0.2 },
  ...shippedEcnThresholds,
];

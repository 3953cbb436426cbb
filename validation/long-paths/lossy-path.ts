// One flow of 30 MB over a long, lossy path, by each transport, as the OmniDMA authors' simulator ran it, and what that
// simulator gave: one run of fixed seeds for each cell, of which the goodput counts payload.
// Source of its figures: results.md among the reference data (commit 58bece1); its settings are named here one by one.

import { settingDefaults } from '#weft/base/settings.js';
import { irnSettings } from '#weft/backends/packet/transport/irn.js';
import { rnicSettings } from '#weft/backends/packet/transport/omnidma/omnidma-settings.js';
import { engineRun, settingsWith, type SettingChanges } from '../engine-run.js';
import { line } from '../fabrics.js';

const us = 1e6;
const sizeBytes = 30_000_000;
export const lossRates = [0, 1e-4, 1e-3, 1e-2, 5e-2] as const;

/** What came of one run; times in milliseconds. */
export interface PathRun {
  /** Infinity: unfinished when the run was stopped */
  readonly fctMs: number;
  readonly repeated: number;
  readonly lost: number;
  readonly timeouts: number;
}

/** One cell of the peer's tables; null: the run was given up there. */
type PeerCell = PathRun | null;

export interface PathTransport {
  readonly name: string;
  readonly settings: (delayPs: number) => SettingChanges;
  /** by one-way delay in microseconds: a cell for each loss rate */
  readonly peer: Readonly<Record<number, readonly PeerCell[]>>;
}

const cell = (fctMs: number, repeated: number, lost: number, timeouts: number): PathRun => ({
  fctMs,
  repeated,
  lost,
  timeouts,
});
/** The peer's window of IRN. */
const windowBytes = (delayPs: number): number => (delayPs > 100 * us ? 25_000_000 : 500_000);
const irnOwn = settingDefaults(irnSettings);

export const goBackN: PathTransport = {
  name: 'go-back-n',
  settings: () => ({ queuePair: { nackInterval: 4 * us, retransmissionTimeout: 4000 * us, retries: 1000 } }),
  peer: {
    10: [
      cell(2.5421, 0, 0, 0),
      cell(2.6271, 1012, 3, 0),
      cell(3.4681, 10_868, 31, 0),
      cell(10.8313, 98_449, 1271, 0),
      cell(18.1769, 186_120, 10_873, 0),
    ],
    1000: [cell(4.5221, 0, 0, 0), cell(14.7849, 101_338, 16, 0), null, null, null],
  },
};
export const irn: PathTransport = {
  name: 'irn',
  settings: (delayPs) => ({ transport: { algorithm: 'irn' }, queuePair: { window: windowBytes(delayPs) } }),
  peer: {},
};
export const irnWithoutWindow: PathTransport = {
  name: 'irn, no window',
  settings: () => ({ transport: { algorithm: 'irn' } }),
  peer: {},
};
export const irnRewinding: PathTransport = {
  name: 'irn, rewind',
  settings: (delayPs) => ({
    transport: { algorithm: 'irn' },
    queuePair: {
      window: windowBytes(delayPs),
      nackInterval: 4 * us,
      retransmissionTimeout: 1000 * us,
      retries: 1000,
    },
    own: { irn: { ...irnOwn, recovery: 'rewind', lowTimeout: 320 * us } },
  }),
  peer: {
    10: [
      cell(2.5421, 0, 0, 0),
      cell(2.5865, 528, 3, 0),
      cell(2.9634, 5016, 25, 0),
      cell(6.342, 20_158, 466, 2),
      cell(39.8394, 22_546, 2617, 34),
    ],
    1000: [
      cell(4.5221, 0, 0, 0),
      cell(5.3348, 22_925, 5, 0),
      cell(8.4962, 28_123, 54, 1),
      cell(13.8572, 40_341, 681, 3),
      cell(17.3223, 61_932, 4668, 4),
    ],
  },
};
export const omnidma: PathTransport = {
  name: 'omnidma',
  settings: () => ({
    transport: { algorithm: 'omnidma' },
    own: { rnic: { ...settingDefaults(rnicSettings), dma: 'duplex', dmaBandwidth: 128e9, dmaLatency: 250_000 } },
  }),
  peer: {
    10: [
      cell(2.5421, 0, 0, 0),
      cell(2.5424, 3, 3, 0),
      cell(2.551, 22, 22, 0),
      cell(2.578, 277, 277, 0),
      cell(3.1493, 3566, 1674, 1),
    ],
    1000: [
      cell(4.5221, 0, 0, 0),
      cell(5.3362, 3, 3, 0),
      cell(6.5114, 22, 22, 0),
      cell(7.2547, 277, 277, 0),
      cell(11.1137, 1571, 1572, 0),
    ],
  },
};

/** Rate of a link on which 1,056 B take the 84 ns that the peer's whole nanoseconds give them. */
export const wholeNanosecondsBps = (1056 * 8e9) / 84;

/**
 * Runs one flow over one switch: a link of the delay, and one of 1 us behind it.
 * @param untilMs the run is stopped soon after this time
 */
export function runPath(
  transport: PathTransport,
  delayUs: number,
  lossRate: number,
  seed: number,
  { untilMs = 100, rateBps = 100e9 }: { readonly untilMs?: number; readonly rateBps?: number } = {},
): PathRun {
  const fabric = line([
    { rateBps, latencyPs: delayUs * us },
    { rateBps, latencyPs: us },
  ]);
  const own = transport.settings(delayUs * us);
  const run = engineRun(fabric, [[0, 1, sizeBytes]], {
    seed,
    untilPs: untilMs * 1e9,
    settings: settingsWith({
      ...own,
      packet: { payload: 1000, header: 56, acknowledgement: 108, gap: 0 },
      queuePair: { window: 'unlimited', acknowledgementPriority: 0, ...own.queuePair },
      congestion: { algorithm: 'none' },
      ecn: { enabled: false },
      pfc: { enabled: false },
      switch: { buffer: 9 * 2 ** 20 },
      loss: { model: 'independent', rate: lossRate, packets: 'data' },
    }),
  });
  const { counters } = run.network;
  return {
    fctMs: run.flows.length === 0 ? Infinity : run.flows[0]!.finishPs / 1e9,
    repeated: counters.retransmittedPackets,
    lost: counters.packetsLost,
    timeouts: counters.timeouts,
  };
}

/** The median of each figure over seeds 1, 2 and so on. */
export function medianPath(seeds: number, run: (seed: number) => PathRun): PathRun {
  const runs = Array.from({ length: seeds }, (_, i) => run(i + 1));
  const median = (of: (one: PathRun) => number): number => {
    const sorted = runs.map(of).sort((a, b) => a - b);
    return sorted[Math.floor((seeds - 1) / 2)]!;
  };
  return cell(
    median(({ fctMs }) => fctMs),
    median(({ repeated }) => repeated),
    median(({ lost }) => lost),
    median(({ timeouts }) => timeouts),
  );
}

// One flow on a path without other traffic: a pipeline of store-and-forward links, known to the picosecond.

import { RandomStream } from '#weft/base/random.js';
import type { Check } from '../check.js';
import { settingsWith, soundRun } from '../engine-run.js';
import { type Cable, line } from '../fabrics.js';
import { compared, exact, type Line } from '../line.js';

/** Bytes of a packet format, written out here and not taken from the catalogue. */
const formats = {
  /** Ethernet 14, IPv4 20, UDP 8, sequence and priority 10; ACK padded to 60; nothing between packets */
  simai: { payload: 9000, overhead: 52, acknowledgement: 60 },
  /**
   * Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4; an ACK has 4 more (AETH) and no payload; preamble 8 and gap 12
   * around each
   */
  rocev2: { payload: 4096, overhead: 62 + 20, acknowledgement: 66 + 20 },
} as const;

/** Picoseconds of a byte at 100 Gb/s. */
const bytePs = 80;

/**
 * Completion time over k equal links of 100 Gb/s: (n - 1 + k - 1) S + s + k L + k (a + L), with S and s the times of a
 * full and of the last packet, a that of an ACK, L the latency of a cable and n packets.
 */
function alonePs(profile: keyof typeof formats, sizeBytes: number, links: number, latencyPs: number): number {
  const { payload, overhead, acknowledgement } = formats[profile];
  const packets = Math.ceil(sizeBytes / payload);
  const lastBytes = sizeBytes - (packets - 1) * payload + overhead;
  return (
    (packets - 1 + (packets > 1 ? links - 1 : 0)) * (payload + overhead) * bytePs +
    (packets > 1 ? 1 : links) * lastBytes * bytePs +
    links * latencyPs +
    links * (acknowledgement * bytePs + latencyPs)
  );
}

/**
 * Completion time over any links as a recurrence: packet j leaves link i when it has come whole from link i - 1 and
 * packet j - 1 has left link i; the acknowledgements go back the same way.
 */
export function pipelinePs(
  cables: readonly Cable[],
  sizeBytes: number,
  packet: { readonly payload: number; readonly overhead: number; readonly acknowledgement: number },
): number {
  const packets = Math.ceil(sizeBytes / packet.payload);
  let arrivals = Array.from({ length: packets }, () => 0);
  const over = ({ rateBps, latencyPs }: Cable, bytesOf: (j: number) => number): void => {
    let freePs = 0;
    arrivals = arrivals.map((arrivalPs, j) => {
      freePs = Math.max(arrivalPs, freePs) + Math.round((bytesOf(j) * 8e12) / rateBps);
      return freePs + latencyPs;
    });
  };
  for (const cable of cables)
    over(
      cable,
      (j) => packet.overhead + (j < packets - 1 ? packet.payload : sizeBytes - (packets - 1) * packet.payload),
    );
  for (let i = cables.length - 1; i >= 0; i--) over(cables[i]!, () => packet.acknowledgement);
  return arrivals[packets - 1]!;
}

function completionPs(
  profile: keyof typeof formats,
  sizeBytes: number,
  cables: readonly Cable[],
  switchPs = 0,
): number {
  const settings = settingsWith({
    packet: { profile },
    queuePair: { window: 'unlimited' },
    ecn: { enabled: false },
    switch: { latency: switchPs },
  });
  return soundRun(line(cables), [[0, 1, sizeBytes]], { settings }).flows[0]!.finishPs;
}

function* single(): Iterable<Line> {
  const cases = [
    ['simai', 1000, 3, 1e6],
    ['simai', 10 * 2 ** 20, 4, 5e5],
    ['rocev2', 1000, 3, 1e6],
    ['rocev2', 10 * 2 ** 20, 4, 5e5],
  ] as const;
  for (const [profile, sizeBytes, links, latencyPs] of cases) {
    yield compared({
      mechanism: `${sizeBytes === 1000 ? '1,000 B' : '10 MiB'} over ${links} links, ${profile} packets`,
      oracle: 'closed form (1)',
      expected: alonePs(profile, sizeBytes, links, latencyPs) / 1000,
      ours:
        completionPs(
          profile,
          sizeBytes,
          Array.from({ length: links }, () => ({ rateBps: 100e9, latencyPs })),
        ) / 1000,
      unit: 'ns',
      digits: 2,
      tolerance: exact,
    });
  }
}

/** Every switch takes its time once for the last packet, and once for its ACK. */
function* slowSwitches(): Iterable<Line> {
  const [links, latencyPs, switchPs] = [4, 5e5, 300_000];
  yield compared({
    mechanism: '10 MiB over 4 links, rocev2 packets, switches of 300 ns',
    oracle: 'closed form (1) and 2 (k - 1) x 300 ns',
    expected: (alonePs('rocev2', 10 * 2 ** 20, links, latencyPs) + 2 * (links - 1) * switchPs) / 1000,
    ours:
      completionPs(
        'rocev2',
        10 * 2 ** 20,
        Array.from({ length: links }, () => ({ rateBps: 100e9, latencyPs })),
        switchPs,
      ) / 1000,
    unit: 'ns',
    digits: 2,
    tolerance: exact,
  });
}

function* anyLines(seed: number): Iterable<Line> {
  const random = new RandomStream(seed, 'validation of single flows');
  const runs = 200;
  let worstPs = 0;
  for (let run = 0; run < runs; run++) {
    const profile = run % 2 === 0 ? 'simai' : 'rocev2';
    const cables = Array.from({ length: 2 + random.nextBelow(5) }, () => ({
      rateBps: (1 + random.nextBelow(800)) * 1e9,
      latencyPs: random.nextBelow(3_000_000),
    }));
    const sizeBytes = 1 + random.nextBelow(300_000);
    const ours = completionPs(profile, sizeBytes, cables);
    worstPs = Math.max(worstPs, Math.abs(ours - pipelinePs(cables, sizeBytes, formats[profile])));
  }
  yield compared({
    mechanism: `${runs} random paths of 2 to 6 links, 1 to 800 Gb/s: largest difference`,
    oracle: 'recurrence (2)',
    expected: 0,
    ours: worstPs,
    unit: 'ps',
    tolerance: exact,
  });
}

export const singleFlow: Check = {
  name: 'single-flow',
  title: 'A flow alone',
  about:
    'Completion time at the sender, the ACK of the last packet included. 100 Gb/s; cables of 1 us (1,000 B) and 500 ns (10 MiB).',
  *run({ seed }) {
    yield* single();
    yield* slowSwitches();
    yield* anyLines(seed);
  },
};

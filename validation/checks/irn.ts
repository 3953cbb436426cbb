// IRN: what one loss costs, packet by packet and picosecond by picosecond, and what it costs the variant that rewinds.

import { settingDefaults } from '#weft/base/settings.js';
import { Kind } from '#weft/backends/packet/packets.js';
import { irnSettings } from '#weft/backends/packet/transport/irn.js';
import type { Check } from '../check.js';
import { engineRun, type EngineRun, type SettingChanges, settingsWith } from '../engine-run.js';
import { line } from '../fabrics.js';
import { compared, exact, type Line, within } from '../line.js';
import { type Arrival, runLosing } from '../losing.js';
import { loseArrivals } from '../losses.js';
import { packetFacts } from '../engine-records.js';

const [packetPs, shortPs, acknowledgementPs, cablesPs] = [80_000, 40_000, 4800, 10_000_000];
// a packet behind others: its link, the switch's link behind the one before it, two cables
const wayPs = packetPs + cablesPs;
const backPs = 2 * acknowledgementPs + cablesPs;
const us = 1e6;
const lowPs = 50 * us;

const irn: SettingChanges = {
  transport: { algorithm: 'irn' },
  queuePair: { window: 'unlimited', retransmissionTimeout: 400 * us },
  own: { irn: { ...settingDefaults(irnSettings), lowTimeout: lowPs } },
};
const loses =
  (sequence: number) =>
  (arrival: Arrival): boolean =>
    arrival.kind === Kind.data && arrival.sequence === sequence;

type Row = readonly [name: string, oracle: string, expected: number, ours: number, unit?: string];

function* rows(what: string, list: readonly Row[]): Iterable<Line> {
  for (const [name, oracle, expected, ours, unit = ''] of list)
    yield compared({
      mechanism: `${what}: ${name}`,
      oracle: `by hand: ${oracle}`,
      expected: unit === 'ns' ? expected / 1000 : expected,
      ours: unit === 'ns' ? ours / 1000 : ours,
      unit,
      digits: unit === 'ns' ? 2 : 0,
      tolerance: exact,
    });
}

const finishPs = (run: EngineRun): number => run.flows[0]!.finishPs;

/** Ten packets, the last of 500 B; the third is lost, and the fourth tells of it. */
function* lostInTheMiddle(): Iterable<Line> {
  const run = runLosing([[0, 1, 9500]], irn, [loses(2)]);
  const { counters } = run.network;
  yield* rows('the third of ten packets lost', [
    ['data packets sent', '10 + 1', 11, counters.dataPacketsSent],
    ['bytes sent again', 'the packet', 1000, counters.retransmittedBytes],
    ['packets that came twice', 'none', 0, counters.duplicatePackets!],
    ['ACKs and NACKs', 'every packet is answered: 2 + 7 + 1', 10, counters.acknowledgementsSent],
    [
      'completion',
      '4 packets, a round trip, the packet alone, a round trip',
      4 * packetPs + wayPs + backPs + packetPs + wayPs + backPs,
      finishPs(run),
      'ns',
    ],
  ]);
}

/** What no later packet tells of: the last packet, a retransmission, everything from a packet on. */
function* lostWithoutWord(): Iterable<Line> {
  const last = runLosing([[0, 1, 9500]], irn, [loses(9)]);
  yield* rows('the last of ten packets lost, RTO_low 50 us', [
    ['timeouts', 'one', 1, last.network.counters.timeouts],
    [
      'completion',
      'the ACK of the ninth, RTO_low, 500 B alone, a round trip',
      9 * packetPs + wayPs + backPs + lowPs + 2 * shortPs + cablesPs + backPs,
      finishPs(last),
      'ns',
    ],
  ]);
  const twice = runLosing([[0, 1, 9500]], irn, [loses(2), loses(2)]);
  yield* rows('the third packet and its retransmission lost', [
    ['timeouts', 'one', 1, twice.network.counters.timeouts],
    ['data packets sent', '10 + 2', 12, twice.network.counters.dataPacketsSent],
    ['packets that came twice', 'none', 0, twice.network.counters.duplicatePackets!],
  ]);
  const many = runLosing([[0, 1, 9500]], irn, [2, 3, 4, 5, 6, 7, 8, 9].map(loses));
  yield* rows('all packets from the third on lost', [
    ['timeouts', 'one for all of them', 1, many.network.counters.timeouts],
    ['bytes sent again', '7 x 1,000 + 500', 7500, many.network.counters.retransmittedBytes],
  ]);
}

/** One loss in a long flow over 22 us, where a round trip is some 262 packets long. */
function* rewinding(): Iterable<Line> {
  const fabric = line([
    { rateBps: 100e9, latencyPs: 10 * us },
    { rateBps: 100e9, latencyPs: us },
  ]);
  let isLost = false;
  const run = engineRun(fabric, [[0, 1, 10_000_000]], {
    settings: settingsWith({
      ...irn,
      packet: { profile: 'rocev2', payload: 1000, header: 56, acknowledgement: 108, gap: 0 },
      queuePair: {
        window: 500_000,
        retransmissionTimeout: 1000 * us,
        acknowledgementPriority: 0,
        nackInterval: 4 * us,
      },
      own: { irn: { ...settingDefaults(irnSettings), recovery: 'rewind', lowTimeout: 320 * us } },
      congestion: { algorithm: 'none' },
      ecn: { enabled: false },
    }),
    prepare: (network) => {
      loseArrivals(network, (packet) => {
        const { kind, sequence } = packetFacts(network.parts, packet);
        const isIt = !isLost && kind === Kind.data && sequence === 1000;
        isLost ||= isIt;
        return isIt;
      });
    },
  });
  yield compared({
    mechanism: 'rewind, 22 us: packets sent again for one loss that had come',
    oracle: "the OmniDMA authors' simulator, one run: 264",
    expected: 264,
    ours: run.network.counters.duplicatePackets!,
    unit: '',
    tolerance: within(0.02),
  });
}

export const irnCheck: Check = {
  name: 'irn',
  title: 'IRN: the cost of a loss',
  about:
    'One switch, 100 Gb/s, 5 us cables, packets of 1,000 B without headers, ACKs of 60 B, no window; exactly the packets named are lost. The last line: `irn.recovery: rewind`, cables of 10 and 1 us, packets of 1,056 B, a window of 500 kB.',
  *run() {
    yield* lostInTheMiddle();
    yield* lostWithoutWord();
    yield* rewinding();
  },
};

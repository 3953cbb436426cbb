// What the probes record against closed forms and against what can be watched from outside.

import { describe, expect, it } from 'vitest';
import { Sampling, type SampledProbe } from '../../src/backends/packet/probes/sampling.js';
import { bandwidthTable, queueTable, rateTable } from '../../src/records/probe-records.js';
import { star } from '../../validation/fabrics.js';
import { broken, engineRun, settingsWith, type SettingChanges } from '../support/engine-run.js';
import { tableRows } from '../support/table-rows.js';

const latencyPs = 400_000;
/** payload 1000 without headers at 100 Gb/s; the latency is five of them */
const packetPs = 80_000;

/** No congestion control, no window, no headers, no gaps. */
const plain: SettingChanges = {
  packet: { payload: 1000, header: 0, acknowledgement: 60, gap: 0 },
  queuePair: { window: 'unlimited' },
  ecn: { enabled: false },
};

/** Writes down when it was asked. */
function watched(
  intervalPs: number,
  goesOn: (timePs: number) => boolean = () => false,
): SampledProbe & { readonly times: number[] } {
  const times: number[] = [];
  return {
    intervalPs,
    times,
    sample: (timePs) => {
      times.push(timePs);
      return goesOn(timePs);
    },
  };
}

describe('sampling', () => {
  it('takes place at start and at whole intervals after it, before what happens at that instant', () => {
    const probe = watched(100);
    const sampling = new Sampling([probe], { startPs: 250, endPs: Infinity });
    expect(sampling.nextPs).toBe(250);
    for (const nowPs of [0, 249, 250, 260, 349, 350, 449]) sampling.catchUp(nowPs);
    expect(probe.times).toEqual([250, 350]);
    expect(sampling.nextPs).toBe(450);
  });

  it('takes one sample for a time in which nothing happened, however long', () => {
    const probe = watched(1);
    const sampling = new Sampling([probe], { startPs: 0, endPs: Infinity });
    sampling.catchUp(5);
    sampling.catchUp(1e15);
    expect(probe.times).toEqual([0, 6]);
    expect(sampling.nextPs).toBe(1e15 + 1);
  });

  it('takes every sample while what it looks at goes on changing by itself', () => {
    const probe = watched(10, (timePs) => timePs < 30);
    new Sampling([probe], { startPs: 0, endPs: Infinity }).catchUp(95);
    expect(probe.times).toEqual([0, 10, 20, 30]);
  });

  it('ends at its end, and takes the end of the run into account only before it', () => {
    const [early, late] = [watched(10), watched(10)];
    const sampling = new Sampling([early], { startPs: 0, endPs: 25 });
    for (let nowPs = 0; nowPs < 50; nowPs += 5) sampling.catchUp(nowPs);
    expect(sampling.nextPs).toBe(Infinity);
    sampling.finish(50);
    expect(early.times).toEqual([0, 10, 20]);
    const open = new Sampling([late], { startPs: 0, endPs: Infinity });
    open.catchUp(0);
    open.catchUp(12);
    open.finish(17);
    expect(late.times).toEqual([0, 10, 17]);
  });

  it('keeps the intervals of several probes apart', () => {
    const [fine, coarse] = [watched(10), watched(35)];
    const sampling = new Sampling([fine, coarse], { startPs: 0, endPs: Infinity });
    for (let nowPs = 0; nowPs <= 70; nowPs += 1) sampling.catchUp(nowPs);
    expect(fine.times).toEqual([0, 10, 20, 30, 40, 50, 60, 70]);
    expect(coarse.times).toEqual([0, 35, 70]);
  });
});

describe('queue lengths', () => {
  // Two senders at line rate into one port. From instant k x S + L on, 2k packets have come and k have begun to leave:
  // k wait, and once all 2n have come, 2n - k. A sample at that very instant sees what was before it.
  const n = 50;
  const waiting = (k: number): number => Math.max(0, Math.min(k, 2 * n - k)) * 1000;

  it('of a two-to-one incast grow and shrink at exactly line rate', () => {
    const run = engineRun(
      star(3, latencyPs),
      [
        [0, 2, n * 1000],
        [1, 2, n * 1000],
      ],
      { settings: settingsWith({ ...plain, probes: { queueInterval: packetPs } }) },
    );
    expect(broken(run)).toEqual([]);
    const rows = tableRows(run.sink, queueTable).filter(({ node, interface: port }) => node === 3 && port === 3);
    const expected = [];
    for (let k = 1; k <= 2 * n; k++)
      expected.push({
        timePs: (k + 1) * packetPs + latencyPs,
        node: 3,
        nodeKind: 1,
        interface: 3,
        priority: 3,
        queueBytes: waiting(k),
        portBytes: waiting(k),
      });
    expect(rows).toEqual(expected);
  });

  it('at other times are those of the instant before', () => {
    const run = engineRun(
      star(3, latencyPs),
      [
        [0, 2, n * 1000],
        [1, 2, n * 1000],
      ],
      { settings: settingsWith({ ...plain, probes: { queueInterval: 3 * packetPs + 1, start: 7 } }) },
    );
    const rows = tableRows(run.sink, queueTable).filter(({ node, interface: port }) => node === 3 && port === 3);
    const expected = [];
    let before = 0;
    for (let i = 0; ; i++) {
      const timePs = 7 + i * (3 * packetPs + 1);
      const k = Math.ceil((timePs - latencyPs) / packetPs) - 1;
      if (k > 2 * n + 3) break;
      if (k >= 1 && waiting(k) !== before) expected.push([timePs, (before = waiting(k))]);
    }
    expect(rows.map(({ timePs, queueBytes }) => [timePs, queueBytes])).toEqual(expected);
    expect(expected.length).toBeGreaterThan(20);
  });

  it('are looked at half as often after so many samples, and again', () => {
    const run = engineRun(
      star(3, latencyPs),
      [
        [0, 2, n * 1000],
        [1, 2, n * 1000],
      ],
      { settings: settingsWith({ ...plain, probes: { queueInterval: packetPs, queueSamples: 8 } }) },
    );
    const rows = tableRows(run.sink, queueTable).filter(({ node, interface: port }) => node === 3 && port === 3);
    // in packets: 0, 1, ... 7; 8, 10, ... 22; 24, 28, ... 52; 56, 64, ...
    const times = [1, 2, 4, 8].flatMap((interval, round) => {
      const first = [0, 8, 24, 56][round]!;
      return Array.from({ length: 8 }, (_, i) => first + i * interval);
    });
    const expected = [];
    let before = 0;
    for (const at of times) {
      const bytes = waiting(Math.max(0, at - 1 - latencyPs / packetPs));
      if (bytes !== before) expected.push([at * packetPs, (before = bytes)]);
    }
    expect(rows.map(({ timePs, queueBytes }) => [timePs, queueBytes])).toEqual(expected);
  });

  it('tell priorities apart, and give the sum of the port', () => {
    // acknowledgements of two flows back to hosts 0 and 1 never wait; those of queue 5 wait behind data of queue 3 on
    // the same link
    const run = engineRun(
      star(3, latencyPs),
      [
        [0, 2, 30_000],
        [1, 2, 30_000],
        [2, 0, 60_000],
      ],
      {
        settings: settingsWith({
          ...plain,
          queuePair: { window: 'unlimited', acknowledgementPriority: 5 },
          probes: { queueInterval: 10_000 },
        }),
      },
    );
    const rows = tableRows(run.sink, queueTable);
    expect(new Set(rows.map(({ priority }) => priority))).toEqual(new Set([3, 5]));
    const lengths = new Map<string, number>();
    const expectSum = (at: (typeof rows)[number]): void => {
      let sum = 0;
      for (let priority = 0; priority < 8; priority++)
        sum += lengths.get(`${at['node']!} ${at['interface']!} ${priority}`) ?? 0;
      expect(at['portBytes']).toBe(sum);
    };
    let last = rows[0]!;
    for (const row of rows) {
      if (row['timePs'] !== last['timePs'] || row['node'] !== last['node'] || row['interface'] !== last['interface'])
        expectSum(last);
      lengths.set(`${row['node']!} ${row['interface']!} ${row['priority']!}`, row['queueBytes']!);
      last = row;
    }
    expectSum(last);
    expect([...lengths.values()].every((length) => length === 0)).toBe(true);
  });
});

describe('bandwidth', () => {
  it('of a single flow is its line rate, interval by interval', () => {
    const packets = 37;
    const run = engineRun(star(2, latencyPs), [[0, 1, packets * 1000]], {
      settings: settingsWith({ ...plain, probes: { bandwidthInterval: 10 * packetPs } }),
    });
    const rows = tableRows(run.sink, bandwidthTable);
    // the NIC's packets begin at k x S: ten in each interval
    const nic = rows.filter(({ node }) => node === 0);
    expect(nic).toEqual(
      [1, 2, 3, 4].map((interval) => ({
        timePs: interval * 10 * packetPs,
        intervalPs: 10 * packetPs,
        node: 0,
        nodeKind: 0,
        interface: 1,
        sentBytes: interval < 4 ? 10_000 : 7000,
        rateBps: interval < 4 ? 100e9 : 70e9,
        utilisation: interval < 4 ? 1 : 0.7,
      })),
    );
    // the switch's begin at (k + 1) x S + L, six packets later; the rest of the last interval is the run's
    const port = rows.filter(({ node, interface: index }) => node === 2 && index === 2);
    expect(port.map(({ timePs, sentBytes, utilisation }) => [timePs! / packetPs, sentBytes, utilisation])).toEqual([
      [10, 4000, 0.4],
      [20, 10_000, 1],
      [30, 10_000, 1],
      [40, 10_000, 1],
      [50, 3000, expect.closeTo(0.3, 12)],
    ]);
    // acknowledgements of 60 B are counted, too
    const back = rows.filter(({ node }) => node === 1).reduce((sum, { sentBytes }) => sum + sentBytes!, 0);
    expect(back).toBe(packets * 60);
  });

  it('with preambles and gaps is below the line rate of a port that is busy all the time', () => {
    // 1000 B and a gap of 250 B: eight packets in ten packets' time
    const run = engineRun(star(2, latencyPs), [[0, 1, 100_000]], {
      settings: settingsWith({
        ...plain,
        packet: { ...plain.packet, gap: 250 },
        probes: { bandwidthInterval: 10 * packetPs },
      }),
    });
    const nic = tableRows(run.sink, bandwidthTable).filter(({ node }) => node === 0);
    expect(nic.slice(0, 12).map(({ sentBytes, rateBps, utilisation }) => [sentBytes, rateBps, utilisation])).toEqual(
      Array.from({ length: 12 }, () => [8000, 80e9, 1]),
    );
  });

  it('after a time without traffic is that of its own interval', () => {
    // the second flow starts 3.7 intervals after the first
    const run = engineRun(
      star(2, latencyPs),
      [
        [0, 1, 1000],
        [0, 1, 1000, 37 * packetPs],
      ],
      { settings: settingsWith({ ...plain, probes: { bandwidthInterval: 10 * packetPs } }) },
    );
    const nic = tableRows(run.sink, bandwidthTable).filter(({ node }) => node === 0);
    expect(
      nic.map(({ timePs, intervalPs, sentBytes, utilisation }) => [
        timePs! / packetPs,
        intervalPs! / packetPs,
        sentBytes,
        utilisation,
      ]),
    ).toEqual([
      [10, 10, 1000, 0.1],
      [40, 10, 1000, 0.1],
    ]);
    // the switch sends the acknowledgements back 17.06 packets' time after the start; the run ends five later, before
    // the next sample
    const back = tableRows(run.sink, bandwidthTable).filter(({ node, interface: port }) => node === 2 && port === 1);
    expect(back.map(({ timePs, intervalPs }) => [timePs, intervalPs])).toEqual([
      [20 * packetPs, 10 * packetPs],
      [run.network.nowPs, run.network.nowPs - 50 * packetPs],
    ]);
  });

  it('of a packet that takes many intervals is that of its first; the utilisation is that of each', () => {
    // 1000 B at 100 Mb/s take 80 us
    const run = engineRun(
      star(2, latencyPs, () => 100e6),
      [[0, 1, 1000]],
      {
        settings: settingsWith({
          ...plain,
          dcqcn: { minimumRate: 1e6 },
          probes: { bandwidthInterval: 30_000_000, start: 5_000_000 },
        }),
      },
    );
    const nic = tableRows(run.sink, bandwidthTable).filter(({ node }) => node === 0);
    // it began before the start: only its link time is seen
    expect(nic.map(({ timePs, sentBytes, utilisation }) => [timePs! / 1e6, sentBytes, utilisation])).toEqual([
      [35, 0, 1],
      [65, 0, 1],
      [95, 0, 0.5],
    ]);
    const port = tableRows(run.sink, bandwidthTable).filter(({ node, interface: index }) => node === 2 && index === 2);
    // it begins at 80.4 us and ends at 160.4 us
    expect(port.map(({ timePs, sentBytes, utilisation }) => [timePs! / 1e6, sentBytes, utilisation])).toEqual([
      [95, 1000, expect.closeTo(14.6 / 30, 12)],
      [125, 0, 1],
      [155, 0, 1],
      [expect.any(Number), 0, expect.any(Number)],
    ]);
    const last = port[3]!;
    expect(last['utilisation']! * last['intervalPs']!).toBeCloseTo(5.4e6, 3);
  });
});

describe('rates', () => {
  it('are those that the congestion control had set before each sample', () => {
    const intervalPs = 1_000_000;
    const set: { readonly timePs: number; readonly pair: number; readonly rateBps: number }[] = [];
    const run = engineRun(
      star(5, latencyPs),
      [0, 1, 2, 3].map((host) => [host, 4, 1_000_000]),
      {
        settings: settingsWith({
          ...plain,
          ecn: { enabled: true },
          ecnThresholds: [{ rateBps: 100e9, minimumBytes: 5000, maximumBytes: 50_000, probability: 0.5 }],
          dcqcn: { increaseInterval: 20_000_000, additiveIncrease: 1e9 },
          probes: { rateInterval: intervalPs },
        }),
        prepare: (network) => {
          const setRate = network.parts.rates.setRate.bind(network);
          network.parts.rates.setRate = (pair, rateBps) => {
            set.push({ timePs: network.nowPs, pair, rateBps });
            setRate(pair, rateBps);
          };
        },
      },
    );
    expect(broken(run)).toEqual([]);
    expect(set.length).toBeGreaterThan(50);
    const rows = tableRows(run.sink, rateTable);
    for (const flow of run.flows) {
      // queue pairs have the numbers of their flows: none is recycled
      const changes = set.filter(({ pair }) => pair === flow.flow);
      const expected: [number, number][] = [];
      for (let timePs = intervalPs; timePs <= flow.finishPs; timePs += intervalPs) {
        let rateBps = 100e9;
        for (const change of changes) if (change.timePs < timePs) rateBps = change.rateBps;
        if (rateBps !== expected.at(-1)?.[1]) expected.push([timePs, rateBps]);
      }
      expect(rows.filter(({ flowId }) => flowId === flow.flow).map(({ timePs, rateBps }) => [timePs, rateBps])).toEqual(
        expected,
      );
      expect(rows.find(({ flowId }) => flowId === flow.flow)).toMatchObject({
        source: flow.source,
        destination: 4,
        sourcePort: flow.sourcePort,
        destinationPort: flow.destinationPort,
        sizeBytes: 1_000_000,
      });
    }
  });

  it('of a flow that takes over the number of another are given anew', () => {
    const run = engineRun(
      star(2, latencyPs),
      [
        [0, 1, 50_000],
        [0, 1, 50_000, 20_000_000],
      ],
      { settings: settingsWith({ ...plain, probes: { rateInterval: 1_000_000 } }) },
    );
    expect(run.network.parts.pairs.count).toBe(1);
    expect(tableRows(run.sink, rateTable).map(({ timePs, flowId, rateBps }) => [timePs, flowId, rateBps])).toEqual([
      [1_000_000, 0, 100e9],
      [21_000_000, 1, 100e9],
    ]);
  });
});

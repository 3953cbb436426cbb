// Senders with a rate of their own: what they take by the definition of the rate, on all levels of detail.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { summaryObject } from '../../src/report/figures/run.js';
import { FlowColumn, flowTable } from '../../src/records/flow-records.js';
import { scenarioRun } from '../support/scenario-run.js';
import { seed } from '../support/seed.js';

/** rocev2: bytes of a full packet on the link, and of an acknowledgement */
const [payload, packetBytes, ackBytes] = [4096, 4096 + 82, 86];
const dumbbell = 'fabric: { generate: dumbbell, leftHosts: 2, rightHosts: 2 }';
const lines = (transfers: readonly string[]): string =>
  `${dumbbell}\ntraffic:\n  transfers:\n${transfers.map((line) => `    - { ${line} }\n`).join('')}packet: { payload: ${payload}B }\n`;

async function completionsPs(text: string, set: readonly string[] = []): Promise<number[]> {
  const run = await scenarioRun(text, set);
  expect(run.summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  expect(run.summary.outcome).toBe('finished');
  const [ids, start, finish] = [FlowColumn.flow, FlowColumn.start, FlowColumn.finish].map((column) =>
    run.sink.column(flowTable, column),
  );
  const byId: number[] = [];
  for (const [row, id] of ids!.entries()) byId[id] = finish![row]! - start![row]!;
  return byId;
}

/** A packet over the dumbbell's three links, and its acknowledgement back, over an idle fabric. */
const lastPacketPs = 3 * (packetBytes + ackBytes) * 80 + 6 * 1_000_000;

describe('a sender with a rate of its own', () => {
  const packets = 500;
  const size = packets * payload;

  it.each([
    ['rate: 25Gbps', (packets - 1) * packetBytes * 320],
    ['burst: 409600B, gap: 30us', (packets - 1) * packetBytes * 80 + 4 * 30_000_000],
    ['rate: 25Gbps, burst: 400kB, gap: 30us', (packets - 1) * packetBytes * 320 + 5 * 30_000_000],
    ['rate: 400Gbps', (packets - 1) * packetBytes * 80],
  ])('takes what %s says, alone', async (pace, waitPs) => {
    const text = lines([`source: 0, destination: 2, size: ${size}, ${pace}`]);
    for (const set of [[], ['queuePair.rateBound=false', 'queuePair.window=unlimited'], ['backend=analytical']])
      expect(await completionsPs(text, set)).toEqual([waitPs + lastPacketPs]);
    const [fluid] = await completionsPs(text, ['backend=fluid']);
    expect(Math.abs(fluid! - waitPs - lastPacketPs)).toBeLessThanOrEqual(packetBytes * 320);
  });

  it('sends again and again what is to come again, each time as if alone', async () => {
    const text = lines([`source: 0, destination: 2, size: ${payload}, start: 5us, every: 20us, times: 4, job: again`]);
    const { sink, summary } = await scenarioRun(text, []);
    const column = (which: number): number[] => [...sink.column(flowTable, which)];
    expect(column(FlowColumn.start)).toEqual([5e6, 25e6, 45e6, 65e6]);
    expect(column(FlowColumn.finish)).toEqual([5e6, 25e6, 45e6, 65e6].map((startPs) => startPs + lastPacketPs));
    expect(summary.transferJobs.map(({ name, startPs, totalPs }) => ({ name, startPs, totalPs }))).toEqual([
      { name: 'again', startPs: 5e6, totalPs: 60e6 + lastPacketPs },
    ]);
  });

  it('leaves to others what it does not take', async () => {
    const text = lines([
      `source: 0, destination: 2, size: ${size}, rate: 30Gbps`,
      `source: 1, destination: 2, size: ${2 * size}`,
    ]);
    // 70 of 100 Gb/s until the slow one is done, and all of it then
    const slowPs = (size * packetBytes * 8e12) / payload / 30e9;
    const otherPs = slowPs + ((2 * size - (size * 70) / 30) * packetBytes * 8e12) / payload / 100e9;
    for (const set of [['backend=fluid'], ['congestion.algorithm=none']]) {
      const [slow, other] = await completionsPs(text, set);
      expect(slow! / slowPs).toBeGreaterThan(0.99);
      expect(slow! / slowPs).toBeLessThan(1.15);
      expect(other!).toBeGreaterThanOrEqual(Math.min(otherPs, (2 * size * packetBytes * 80) / payload));
    }
  });

  it(`is never faster than that, whatever else is set (seed ${seed})`, async () => {
    const random = new RandomStream(seed, 'sender paces');
    const of = <T>(list: readonly T[]): T => list[random.nextBelow(list.length)]!;
    for (let number = 0; number < 12; number++) {
      const flows = [0, 1].map(() => ({
        size: 1 + random.nextBelow(600_000),
        rate: of([1, 7, 40, 90]),
        burst: 1 + random.nextBelow(300_000),
        gapUs: of([0, 1, 40]),
      }));
      const text = lines(
        flows.map(
          ({ size: bytes, rate, burst, gapUs }, host) =>
            `source: ${host}, destination: ${2 + random.nextBelow(2)}, size: ${bytes}, rate: ${rate}Gbps, burst: ${burst}, gap: ${gapUs}us`,
        ),
      );
      const set = [
        `transport.algorithm=${of(['go-back-n', 'irn', 'uec'])}`,
        `congestion.algorithm=${of(['dcqcn', 'hpcc', 'dctcp', 'none'])}`,
        `queuePair.perFlow=${of([1, 1, 2])}`,
      ];
      const times = await completionsPs(text, set);
      for (const [flow, { size: bytes, rate, burst, gapUs }] of flows.entries()) {
        const count = Math.ceil(bytes / payload);
        // parts of a flow that is split may be a packet more or less, and end together
        const slack = set.includes('queuePair.perFlow=2') ? 2 : 1;
        const bursts = Math.ceil(count / (Math.ceil(burst / payload) + slack - 1));
        const leastPs =
          ((count - slack) * packetBytes * 8e12) / (rate * 1e9) + Math.max(0, bursts - slack) * gapUs * 1e6;
        expect(times[flow]!, `seed ${seed}, number ${number}, flow ${flow}, ${set.join(' ')}`).toBeGreaterThanOrEqual(
          leastPs,
        );
      }
    }
  });
});

describe('transfers of one name', () => {
  it('are a job from the start of the first to the end of the last', async () => {
    const run = await scenarioRun(
      lines([
        'source: 0, destination: 2, size: 1MB, start: 5us, job: task 1',
        'source: 1, destination: 3, size: 1MB, job: __proto__',
        'source: 1, destination: 2, size: 2MB, start: 9us, job: task 1',
      ]),
      [],
    );
    const finish = run.sink.column(flowTable, FlowColumn.finish);
    const ids = run.sink.column(flowTable, FlowColumn.flow);
    const endOf = (id: number): number => finish[ids.indexOf(id)]!;
    const label = { weftVersion: '0', name: 'n', seed: 1, warnings: [] };
    expect(summaryObject(label, run.summary)['jobs']).toEqual([
      {
        name: 'task 1',
        isFinished: true,
        transfers: 2,
        payloadBytes: 3e6,
        startNs: 5000,
        totalNs: (Math.max(endOf(0), endOf(2)) - 5e6) / 1000,
      },
      {
        name: '__proto__',
        isFinished: true,
        transfers: 1,
        payloadBytes: 1e6,
        startNs: 0,
        totalNs: endOf(1) / 1000,
      },
    ]);
  });
});

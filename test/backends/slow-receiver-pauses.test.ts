// A slow receiver with a buffer of its own: it pauses its leaf, takes what it can and no more, and nothing is lost.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { scenarioRun, type ScenarioRun } from '../support/scenario-run.js';
import { seed } from '../support/seed.js';

/** rocev2 with 1000 B of payload: bytes of a packet on the link */
const packetBytes = 1082;

const scenario = (senders: number, size: number, straggler: string, rest = ''): string =>
  `fabric: { generate: dumbbell, leftHosts: ${senders}, rightHosts: 2, hostRate: 100Gbps, bottleneckRate: 400Gbps }
traffic:
  transfers:
${Array.from({ length: senders }, (_, from) => `    - { source: ${from}, destination: ${senders}, size: ${size} }\n`).join('')}
packet: { payload: 1000B }
congestion: { algorithm: none }
queuePair: { window: unlimited }
stragglers: [ { rank: ${senders}, ${straggler} } ]
${rest}`;

function sound({ summary }: ScenarioRun): void {
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  expect(summary.outcome).toBe('finished');
}

describe('a slow receiver that pauses its leaf', () => {
  it('takes data at its share of the rate, and pauses nobody whose data its buffer takes', async () => {
    const size = 2_000_000;
    const run = await scenarioRun(scenario(1, size, 'receive: 0.25, receiveBuffer: 100kB'), []);
    sound(run);
    const { receiverPauseFrames, receiverResumeFrames, packetsDropped } = run.summary.counters;
    // all packets one after the other at a quarter of 100 Gb/s; the rest is the way there and back
    const drainNs = ((size / 1000) * packetBytes * 8) / 25;
    expect(run.summary.fct.maxNs).toBeGreaterThan(drainNs);
    expect(run.summary.fct.maxNs).toBeLessThan(drainNs + 20_000);
    expect(receiverPauseFrames).toBeGreaterThan(5);
    expect([receiverResumeFrames, packetsDropped]).toEqual([receiverPauseFrames, 0]);
    // what comes until the pause holds: two cables of 1 us, the response and some packets at 100 Gb/s
    expect(run.summary.counters['receiveBufferPeakBytes']!).toBeGreaterThan(100_000);
    expect(run.summary.counters['receiveBufferPeakBytes']!).toBeLessThan(140_000);
    const small = await scenarioRun(scenario(1, 80_000, 'receive: 0.25, receiveBuffer: 100kB'), []);
    sound(small);
    expect(small.summary.counters['receiverPauseFrames']).toBe(0);
  });

  it.each(['fluid', 'analytical'])('is a slow link on %s, which says so', async (backend) => {
    const [slow, buffered] = [
      await scenarioRun(scenario(2, 300_000, 'receive: 0.5'), [`backend=${backend}`]),
      await scenarioRun(scenario(2, 300_000, 'receive: 0.5, receiveBuffer: 50kB'), [`backend=${backend}`]),
    ];
    expect(buffered.summary.digest).toBe(slow.summary.digest);
    expect(buffered.warnings.join()).toContain('stragglers[0].receiveBuffer has no effect');
  });

  it('resumes its leaf after it has paused it, even if the frame waited behind its own packets', async () => {
    // partners send to each other both ways, so frames and acknowledgements of the slow host wait for its data
    const run = await scenarioRun(
      `fabric: { generate: leaf-spine, leaves: 1, spines: 1, hostsPerLeaf: 4 }
workload:
  layers: [ { name: sum, once: true, forward: { collective: allreduce, group: dp, size: 2MB } } ]
collectives: { algorithm: halving-doubling, channels: 1, profile: document }
congestion: { algorithm: none }
queuePair: { window: unlimited }
stragglers: [ { rank: 3, receive: 0.5, receiveBuffer: 20kB } ]
`,
      [],
    );
    sound(run); // a verdict knows the headroom: cable, response and packets under way
    expect(run.summary.counters['receiverPauseFrames']).toBeGreaterThan(10);
    expect(run.summary.counters['receiveBufferPeakBytes']).toBeLessThan(50_000);
  });

  it(`loses nothing and lets everybody go on, whatever is set (seed ${seed})`, async () => {
    const random = new RandomStream(seed, 'slow receivers');
    const of = <T>(list: readonly T[]): T => list[random.nextBelow(list.length)]!;
    for (let number = 0; number < 10; number++) {
      const senders = 1 + random.nextBelow(4);
      const speed = of([0.01, 0.3, 0.5, 0.9]);
      const size = 1 + random.nextBelow(speed < 0.1 ? 30_000 : 300_000);
      const set = [
        `transport.algorithm=${of(['go-back-n', 'irn', 'uec'])}`,
        `congestion.algorithm=${of(['dcqcn', 'none', 'hpcc'])}`,
        `pfc.pauseTime=${of(['0us', '5us'])}`,
        `queuePair.acknowledgementPriority=${of([0, 3, 4])}`,
        `flowControl=${of(['[pfc]', '[pfc]', '[]'])}`,
        'queuePair.retransmissionTimeout=100ms',
        ...(random.nextBelow(3) > 0
          ? []
          : ['failures.convergenceTime=1us', 'failures.events=[ { at: 9us, until: 30us, link: "leaf[1]:1" } ]']),
      ];
      const run = await scenarioRun(
        scenario(senders, size, `receive: ${speed}, receiveBuffer: ${of([1, 9000, 60_000])}`),
        set,
      );
      const label = `seed ${seed}, number ${number}: ${senders} senders of ${size} B, ${set.join(' ')}`;
      expect(
        run.summary.verdicts.filter(({ ok }) => !ok),
        label,
      ).toEqual([]);
      expect(run.summary.outcome, label).toBe('finished');
      // all packets of all senders at the receiver's rate, unless the link to it failed and packets came twice
      const leastNs = (senders * size * 8) / (100 * speed);
      expect(run.summary.fct.maxNs, label).toBeGreaterThanOrEqual(leastNs);
    }
  });
});

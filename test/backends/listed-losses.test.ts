// Losses at named places and of named packets, worked out by hand; what is wrong with the files that name them.

import { describe, expect, it } from 'vitest';
import { Diagnostics, type InputError } from '../../src/base/diagnostics.js';
import { readLossPattern, readSequenceLosses, readTimeLosses } from '../../src/formats/loss-files.js';
import { packetCounters } from '../support/packet-counters.js';
import { scenarioRun } from '../support/scenario-run.js';
import { seed } from '../support/seed.js';

/** Twenty packets from host 0 by switch 2 to host 1. */
const text = `
seed: ${seed}
fabric: { generate: wan-dumbbell, bottleneckLatency: 10us }
packet: { payload: 1000B }
congestion: { algorithm: none }
pfc: { enabled: false }
queuePair: { nackInterval: 1ms }
traffic: { transfers: [ { source: 0, destination: 1, size: 20kB } ] }
`;

async function lost(set: readonly string[], file = ''): Promise<number> {
  const { summary } = await scenarioRun(text, set, { 'l.txt': file });
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  expect(summary.outcome).toBe('finished');
  return packetCounters(summary).packetsLost;
}

const named = (model: string): string[] => [`loss.model=${model}`, 'loss.file=l.txt'];

describe('by sequence number', () => {
  it.each([
    ['each mention is one more loss of the packet', '2, 0, 0, [3000, 3000, 3000]', 3],
    ['a range takes every packet that has a byte of it', '2, 0, 0, [4999-6000]', 3],
    ['bytes behind the end are nothing', '2, 0, 0, [20000, 19999]', 1],
    [
      'a heading, comments and lines of other flows take nothing',
      'switchId, SrcNode, flowid, seq\n# 2, 0, 0, [1]\n2, 0, 1, [1]\n',
      0,
    ],
    ['the last packet is lost, and sent again', '2, 0, 0, [19000]', 1],
    ['another sender has not the flow', '2, 1, 0, [19000]', 0],
  ])('%s', async (_, file, expected) => {
    expect(await lost(named('sequence'), file)).toBe(expected);
  });
});

describe('flows that nobody sends', () => {
  it.each([
    ['sequence', '2, 0, 0, [1]\n2, 0, 1, [1]\n2, 0, 1, [2]\n', 'a flow'],
    ['time', '2, 0, 7, 0, 1\n2, 0, 9, 0, 1\n', '2 flows'],
  ])('are told of a file for %s', async (model, file, which) => {
    const { warnings } = await scenarioRun(text, named(model), { 'l.txt': file });
    expect(warnings).toContain(`loss.file names ${which} that nobody sends: their losses take nothing`);
  });

  it('are none in a file that names the flow there is', async () => {
    const { warnings } = await scenarioRun(text, named('time'), { 'l.txt': '2, 0, 0, 0, 1\n' });
    expect(warnings.filter((message) => message.includes('nobody sends'))).toEqual([]);
  });
});

describe('by time', () => {
  it('the next packets from a time on are lost', async () => {
    // the first packet is at the switch after 10 us and its own 0.09 us
    expect(await lost(named('time'), '2, 0, 0, 0.00001, 4 # four\n')).toBe(4);
    expect(await lost(named('time'), '2, 0, 0, 0, 1\n2, 0, 0, 0, 2\n')).toBe(3);
  });

  it('after the flow there are none', async () => {
    expect(await lost(named('time'), 'switchId, SrcNode, flowid, timestep, drop_num\n2, 0, 0, 1, 4')).toBe(0);
  });
});

describe('by a pattern', () => {
  it('of ones alone nothing arrives, of zeros everything', async () => {
    expect(await lost(named('trace'), '0000\n')).toBe(0);
    const { summary } = await scenarioRun(text, [...named('trace'), 'queuePair.retries=2'], { 'l.txt': '1' });
    expect(Math.abs(summary.counters.payloadBytesDelivered)).toBe(0);
  });

  it('each port begins at a place of its own and goes round', async () => {
    const { summary } = await scenarioRun(text, named('trace'), { 'l.txt': '# every fifth\n1 0 0 0 0\n' });
    const { packetsLost, dataPacketsSent } = packetCounters(summary);
    // of five packets in a row exactly one, wherever it began
    expect(packetsLost).toBeGreaterThanOrEqual(Math.floor(dataPacketsSent / 5));
    expect(packetsLost).toBeLessThanOrEqual(Math.ceil(dataPacketsSent / 5));
  });
});

describe('places', () => {
  const all = ['loss.rate=1', 'loss.packets=all', 'queuePair.retries=0'];
  /** [data packets, acknowledgements] delivered, where everything is lost at some ports. */
  async function delivered(places: string): Promise<boolean[]> {
    const { summary } = await scenarioRun(text, [...all, `loss.places=${places}`]);
    const { dataPacketsDelivered, acknowledgementsDelivered } = packetCounters(summary);
    return [dataPacketsDelivered > 0, acknowledgementsDelivered > 0];
  }

  it.each([
    ['[ { switch: 2 } ]', [false, false]],
    ['[ { switch: "leaf[0]" } ]', [false, false]],
    ['[ { port: "2:1" } ]', [false, false]],
    ['[ { port: "2:2" } ]', [true, false]],
    ['[ { port: "1:1" } ]', [false, false]],
    ['[ { port: "0:1" } ]', [true, false]],
    ['[ { link: 1-2 } ]', [false, false]],
    ['[ { switch: 2, rate: 0 } ]', [true, true]],
    ['[ { link: 0-2, rate: 0 }, { port: "2:2", rate: 1 } ]', [true, false]],
  ])('%s: data and acknowledgements arrive: %j', async (places, expected) => {
    expect(await delivered(places)).toEqual(expected);
  });

  it.each([
    ['loss.places=[ { rate: 0.1 } ]', 'the place names no switch, port or link'],
    ['loss.places=[ { switch: 2, link: 0-2 } ]', 'the place names switch and link'],
    ['loss.places=[ { switch: 0 } ]', 'switch names nothing in the fabric'],
    ['loss.places=[ { port: 0-2 } ]', 'port names no port'],
    ['loss.places=[ { link: 0-1 } ]', 'link: no link joins host[0] (node 0) and host[1] (node 1)'],
    ['loss.model=time', 'loss.model time needs loss.file'],
  ])('%s: %s', async (set, message) => {
    const found = await scenarioRun(text, [set]).catch((error: unknown) =>
      (error as InputError).diagnostics.map((one) => one.message),
    );
    expect(found).toEqual([message]);
  });
});

describe('files', () => {
  it.each([
    ['2, 0, 0, 5', '1:1'],
    ['\n 2, 0, 0, [5-4]', '2:2'],
    ['2, 0, 0, [__proto__]', '1:1'],
    ['2, x, 0, [5]', '1:1'],
    ['seq\nseq\n', '2:1'],
    ['', '1:1'],
  ])('of sequence numbers: %j is wrong at %s', (file, place) => {
    const diagnostics = new Diagnostics();
    readSequenceLosses(file, 'l.txt', diagnostics);
    expect(diagnostics.list.map(({ line, column }) => `${line}:${column}`)).toContain(place);
  });

  it.each([
    ['2, 0, 0, 5', '1:1'],
    ['2, 0, 0, x, 5', '1:1'],
    ['2, 0, 0, 9e99, 5', '1:1'],
    ['2, 0, 0, 1, -5', '1:1'],
  ])('of times: %j is wrong at %s', (file, place) => {
    const diagnostics = new Diagnostics();
    readTimeLosses(file, 'l.txt', diagnostics);
    expect(diagnostics.list.map(({ line, column }) => `${line}:${column}`)).toContain(place);
  });

  it.each([
    ['01\n012', '2:3'],
    ['\0', '1:1'],
    ['# 01', '1:1'],
    ['', '1:1'],
  ])('of a pattern: %j is wrong at %s', (file, place) => {
    const diagnostics = new Diagnostics();
    readLossPattern(new TextEncoder().encode(file), 'l.txt', diagnostics);
    expect(diagnostics.list.map(({ line, column }) => `${line}:${column}`)).toEqual([place]);
  });

  it('that name nodes that are not there are told', async () => {
    const found = await scenarioRun(text, named('time'), { 'l.txt': '0, 2, 0, 1, 1' }).catch((error: unknown) =>
      (error as InputError).diagnostics.map((one) => one.message),
    );
    expect(found).toEqual(['node 0 is no switch of the fabric', 'node 2 is no host of the fabric']);
  });
});

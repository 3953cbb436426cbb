// A loop of measuring and routing: a shuffle whose best time is known by hand, epoch by epoch, and what it leaves.

import { describe, expect, it } from 'vitest';
import { adaptFiles } from '../../src/app/adapt/adapt-files.js';
import { adaptRoutes, type AdaptedEpoch } from '../../src/app/adapt/adapt-routes.js';
import { loadTables } from '../../src/app/routes/tables-input.js';
import { portText } from '../../src/fabric/routed-fabric.js';
import type { AdaptedRoutes } from '../../src/report/adapt/adapt-report.js';
import { changedEntries, type ForwardingTables } from '../../src/routing/forwarding-tables.js';
import { bestBytes, bestNs, bisectionScenario } from '../support/adapt-scenarios.js';
import { patientHost } from '../support/patient-host.js';

describe.each(['credit', 'fluid'])('the loop on %s', (backend) => {
  it('comes to the best time in one epoch, and stays there', async () => {
    const host = patientHost({ 'shuffle.yaml': bisectionScenario('shuffle') });
    const overrides = [`backend=${backend}`];
    const { epochs, keptEpoch } = await adaptRoutes({ scenarios: ['shuffle.yaml'], epochs: 2, overrides }, host);
    const [first, second, third] = epochs;
    expect(epochs.map(({ epoch, adaptiveBound }) => [epoch, adaptiveBound])).toEqual([
      [0, bestBytes],
      [1, bestBytes],
      [2, bestBytes],
    ]);
    // three flows of 2 MiB on a link
    expect([first!.maxLoad, first!.changedEntries]).toEqual([1.5 * bestBytes, 0]);
    expect(first!.measuredMaxLoad).toBe(first!.maxLoad);
    expect(first!.reconstruction!.relativeError).toBeLessThan(1e-6);
    expect(first!.decision).toMatchObject({ kind: 'new' });
    expect(second!.maxLoad).toBe(bestBytes);
    expect(second!.changedEntries).toBeGreaterThan(0);
    expect(second!.totalNs / bestNs).toBeGreaterThan(1);
    expect(second!.totalNs / bestNs).toBeLessThan(1.02);
    expect(first!.totalNs / second!.totalNs).toBeGreaterThan(1.4);
    expect(second!.decision).toMatchObject({ kind: 'keep' });
    expect([third!.changedEntries, third!.totalNs, keptEpoch]).toEqual([0, second!.totalNs, 1]);
  });
});

it.each([1, 5])('keeps its first tables where pairs are drawn anew every epoch, on %i lanes', async (lanes) => {
  const host = patientHost({ 'shuffle.yaml': bisectionScenario('shuffle') });
  const overrides = ['backend=fluid', 'fabric.pods=4'];
  const request = { scenarios: ['shuffle.yaml'], epochs: 2, overrides, newSeeds: true, lanes };
  const { epochs, keptEpoch } = await adaptRoutes(request, host);
  // hosts send and take in the same, whatever the pairs
  expect(epochs.map(({ decision }) => decision.isSteady)).toEqual([true, false, false]);
  expect(epochs[1]!.changedEntries).toBeGreaterThan(0);
  expect(keptEpoch).toBe(0);
});

describe('what a loop leaves', () => {
  const host = patientHost({ 'shuffle.yaml': bisectionScenario('shuffle') });
  const loop = (why: string): Promise<AdaptedRoutes<AdaptedEpoch>> =>
    adaptRoutes({ scenarios: ['shuffle.yaml'], epochs: 1, overrides: ['backend=fluid'], why }, host);

  it('are tables of every epoch, and the steps there and back, in the forms of other commands', async () => {
    const adapted = await loop('0,15');
    const { source, epochs } = adapted;
    const files = new Map(adaptFiles(adapted).map(({ name, text }) => [name, [...text].join('')]));
    expect([...files.keys()]).toEqual([
      'epoch-0.lfts',
      'epoch-0.csv',
      'epoch-1.lfts',
      'epoch-1.steps.json',
      'epoch-1.back.json',
      'epochs.json',
    ]);
    for (const { epoch, forwarding } of epochs) {
      const text = files.get(`epoch-${epoch}.lfts`)!;
      const { tables } = await loadTables(host.files!, { text, name: 'own.lfts' }, source);
      expect(changedEntries(tables[0]!, forwarding)).toBe(0);
    }
    const changed = changedEntries(epochs[0]!.forwarding, epochs[1]!.forwarding);
    for (const way of ['steps', 'back'])
      expect(JSON.parse(files.get(`epoch-1.${way}.json`)!)).toMatchObject({ changedEntries: changed, violations: [] });
    // 16 hosts send, each to one
    expect(files.get('epoch-0.csv')!.trimEnd().split('\n')).toHaveLength(1 + 16);
  });

  it('says which way a pair had and has, and the loads that decided', async () => {
    const plain = await loop('0,1');
    const [before, after] = plain.epochs.map(({ forwarding }) => forwarding) as [ForwardingTables, ForwardingTables];
    const pairs = Array.from({ length: 16 * 16 }, (_, i) => [i >> 4, i % 16] as const).filter(([a, b]) => a !== b);
    const [from, to] = pairs.find(
      ([a, b]) => String(wayOf(before, before, a, b)) !== String(wayOf(before, after, a, b)),
    )!;
    const { source, epochs } = await loop(`${from},${to}`);
    const told = epochs[0]!.why!;
    const names = (tables: ForwardingTables): (string | null)[] =>
      wayOf(before, tables, from, to).map((port) => portText(source, port));
    expect(told.before.map(({ link }) => link)).toEqual(names(before));
    expect(told.after.map(({ link }) => link)).toEqual(names(after));
    expect([told.largestBefore, told.largestAfter / bestBytes]).toEqual([1.5 * bestBytes, expect.closeTo(1, 6)]);
  });
});

/** The ports on the way of a pair of hosts. */
function wayOf({ fabric }: ForwardingTables, tables: ForwardingTables, from: number, to: number): number[] {
  const { hosts, portOffset, portNeighbour } = fabric;
  const ports: number[] = [];
  for (let port = portOffset[hosts[from]!]!; ; port = tables.port(portNeighbour[port]!, hosts[to]!)) {
    ports.push(port);
    if (portNeighbour[port] === hosts[to]) return ports;
  }
}

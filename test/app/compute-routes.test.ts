// Routes as a library computes them, from plain inputs: figures against closed forms, the ways to give a fabric and
// traffic against each other, and mistakes.

import { describe, expect, it } from 'vitest';
import { computeRoutes, type RouteRequest } from '../../src/app/routes/compute-routes.js';
import { InputError } from '../../src/base/diagnostics.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { damaged, identifiedTree } from '../support/infiniband.js';

const small: RouteRequest = { fabric: { family: 'fat-tree', parameters: { k: 4 } }, algorithm: 'ftree' };

describe('computeRoutes', () => {
  it.each(['ftree', 'weft'] as const)('routes all-to-all with %s as a closed form says', async (algorithm) => {
    const { evaluation, validity, verdicts, source, made } = await computeRoutes({
      ...small,
      traffic: 'all-to-all',
      algorithm,
      mostWork: 1e6,
    });
    // 16 hosts on leaves of two with two uplinks: a host sends to 15 others, and of those 14 are on other leaves, so
    // that 2 x 14 flows share 2 links
    expect(evaluation).toMatchObject({ maxLoad: 15, adaptiveBound: 15, lowerBound: 15, provenOptimal: true });
    expect(evaluation!.collapsed.loads.netMaxLoad).toBe(14);
    const { hosts, portOffset } = source.fabric;
    for (const host of hosts) expect(evaluation!.collapsed.load[portOffset[host]!]).toBe(15);
    expect(validity.valid).toBe(true);
    expect(verdicts.map(({ name, ok }) => [name, ok])).toEqual(verdicts.map(({ name }) => [name, true]));
    expect(verdicts).toHaveLength(algorithm === 'weft' ? 4 : 3);
    expect(made.tables[0]!.switches).toHaveLength(20);
  });

  it('takes a fabric as text or from a generator, and traffic as a pattern, columns or CSV', async () => {
    const hosts = Array.from({ length: 16 }, (_, rank) => rank);
    const shift = { sources: hosts, destinations: hosts.map((rank) => (rank + 2) % 16), weights: hosts.map(() => 3) };
    const csv = `source,destination,weight\n${hosts.map((rank) => `${rank},${(rank + 2) % 16},3\n`).join('')}`;
    const text = writeIbnetdiscover(identifiedTree('fat-tree', { k: 4 }));
    const requests: RouteRequest[] = [
      { ...small, traffic: shift },
      { ...small, traffic: { csv } },
      { ...small, traffic: shift, fabric: { text, name: 'small.net' } },
    ];
    const made = await Promise.all(requests.map((request) => computeRoutes(request)));
    // every host sends to one on the next leaf, and ftree gives each its own uplink
    for (const { evaluation } of made) expect(evaluation).toMatchObject({ maxLoad: 3, arGap: 0, provenOptimal: true });
    expect(made[1]!.made.tables[0]!.entries).toEqual(made[0]!.made.tables[0]!.entries);
    expect(made[2]!.source.name).toBe('small.net');
  });

  it.each(['ftree', 'dmodk', 'weft'] as const)(
    '%s: with roots, round a spine that lost its link upwards',
    async (algorithm) => {
      // three pods of two leaves and two spines, each spine with one core: spine00 loses it, so that all that comes to
      // its pod comes by spine01
      const parameters = { pods: 3, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 2, coreGroups: 2 };
      const tree = damaged(
        identifiedTree('fat-tree', parameters),
        (low, high) => low === 'spine00' && high === 'core00',
      );
      const { nodeName, nodeGuid } = tree.identity;
      const request: RouteRequest = {
        fabric: { text: writeIbnetdiscover(tree) },
        roots: ['core00', 'core01'].map((name) => `0x${nodeGuid[nodeName.indexOf(name)]!.toString(16)}`),
        traffic: 'all-to-all',
        algorithm,
        mostWork: 1e6,
      };
      const { validity, evaluation, verdicts, source } = await computeRoutes(request);
      expect(source.tree.switches.map((level) => level.length)).toEqual([6, 6, 2]);
      expect(validity.valid).toBe(true);
      expect(verdicts.every(({ ok }) => ok)).toBe(true);
      // four hosts of the pod get something from each of the eight outside, all over one link
      expect(evaluation!.collapsed).toMatchObject({
        lostFlows: 0,
        loads: { netMaxLoad: 32 },
        bounds: { staticNet: 32 },
      });
    },
  );

  it('judges validity alone without traffic', async () => {
    const { evaluation, verdicts, changedEntries } = await computeRoutes({ ...small, algorithm: 'random', seed: 3 });
    expect(evaluation).toBeNull();
    expect(verdicts).toEqual([expect.objectContaining({ ok: true }), expect.objectContaining({ ok: true })]);
    expect(changedEntries).toBeGreaterThan(0);
  });

  it.each<[string, Partial<RouteRequest>, string]>([
    ['a fabric that there is not', { fabric: { family: 'fat-three' } }, 'unknown-fabric'],
    ['a parameter that there is not', { fabric: { family: 'fat-tree', parameters: { p: 1 } } }, 'bad-fabric'],
    ['a share beyond 1', { failedLinks: 2 }, 'bad-setting'],
    ['a pattern that there is not', { traffic: 'al-to-all' }, 'unknown-traffic'],
    ['a rank that there is not', { traffic: { sources: [16], destinations: [0], weights: [1] } }, 'bad-traffic'],
    ['columns of two lengths', { traffic: { sources: [1, 2], destinations: [0], weights: [1] } }, 'bad-traffic'],
    ['a weight that is none', { traffic: { sources: [1], destinations: [0], weights: [NaN] } }, 'bad-traffic'],
    ['a search for nothing', { algorithm: 'weft' }, 'missing-traffic'],
    ['an exact algorithm without a solver', { algorithm: 'basic-mcf', traffic: 'stencil' }, 'no-solver'],
    ['a limit in time without a clock', { algorithm: 'weft', traffic: 'stencil', seconds: 2 }, 'missing-clock'],
  ])('refuses %s', async (_, change, code) => {
    const error = await computeRoutes({ ...small, ...change }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InputError);
    expect((error as InputError).diagnostics[0]!.code).toBe(code);
  });
});

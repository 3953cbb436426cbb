// What the commands of weft route do, from plain inputs: files in memory in place of options, and the same figures
// whichever way they are asked for.

import { describe, expect, it } from 'vitest';
import { compareRoutes } from '../../src/app/routes/compare-routes.js';
import { computeRoutes, type RouteRequest } from '../../src/app/routes/compute-routes.js';
import { evaluateTables } from '../../src/app/routes/evaluate-tables.js';
import { routeTransition } from '../../src/app/routes/plan-transition.js';
import { repairRoutes } from '../../src/app/routes/repair-routes.js';
import { routeSourcePorts } from '../../src/app/routes/source-ports.js';
import { InputError } from '../../src/base/diagnostics.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { lftTexts } from '../../src/formats/opensm-lfts-writer.js';
import { identifiedTree } from '../support/infiniband.js';
import { patientHost } from '../support/patient-host.js';

const tree = identifiedTree('fat-tree', { k: 4 });
const net = writeIbnetdiscover(tree);
const small: RouteRequest = { fabric: { text: net, name: 'f.net' }, algorithm: 'dmodk' };

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: unknown) => (error instanceof InputError ? error.diagnostics[0]!.code : String(error)),
  );

describe('computeRoutes', () => {
  it('reads files that it names, as their texts', async () => {
    const made = await computeRoutes({ ...small, traffic: 'stencil' });
    const lfts = [...lftTexts(made.source, made.made.tables)].join('');
    const csv = 'source,destination,bytes\n0,7,5\n1,6,7\n';
    const files = patientHost({ 'f.net': net, 'now.lfts': lfts, 'm.csv': csv });
    const named = await computeRoutes(
      { ...small, fabric: 'f.net', algorithm: 'random', traffic: 'm.csv', current: 'now.lfts' },
      files,
    );
    const given = await computeRoutes({
      ...small,
      algorithm: 'random',
      traffic: { csv },
      current: { text: lfts, name: 'now.lfts' },
    });
    expect([named.changedEntries, named.changedFrom]).toEqual([given.changedEntries, 'now.lfts']);
    expect(named.evaluation!.maxLoad).toBe(given.evaluation!.maxLoad);
    const [[before], [after]] = [made.made.tables, named.made.tables];
    expect(named.changedEntries).toBe(before!.entries.filter((entry, i) => entry !== after!.entries[i]).length);
  });

  it('changes no more entries of tables in use than it may', async () => {
    const { made: current } = await computeRoutes({ ...small, algorithm: 'random' });
    const limited = { ...small, algorithm: 'weft', traffic: 'random-permutation', mostWork: 1e6 } as const;
    const { changedEntries, evaluation, verdicts } = await computeRoutes({
      ...limited,
      current: current.tables,
      mostChanges: 5,
    });
    expect(changedEntries).toBeLessThanOrEqual(5);
    expect(evaluation!.maxLoad).toBeLessThanOrEqual(
      (await evaluateTables({ ...limited, tables: current.tables }, patientHost())).evaluation!.maxLoad,
    );
    expect(verdicts.every(({ ok }) => ok)).toBe(true);
  });

  it('counts what other traffic puts on links', async () => {
    const leaf = tree.identity.nodeName.indexOf('leaf00');
    const guid = tree.identity.nodeGuid[leaf]!.toString(16);
    // port 3 of a leaf leads up; counters count words of four bytes
    const counters = `   GUID 0x${guid} port 3: [PortXmitData == 250]\n`;
    const { background, evaluation, verdicts } = await computeRoutes({
      ...small,
      algorithm: 'weft',
      traffic: { csv: 'source,destination,bytes\n0,15,100\n' },
      background: { text: counters, name: 'counters' },
      mostWork: 1e6,
    });
    // the flow takes the other way up: 1000 bytes stay the largest load
    expect(background).toEqual({ file: 'counters', maxLoad: 1000, backgroundMaxLoad: 1000 });
    expect(evaluation!.maxLoad).toBe(100);
    expect(verdicts.every(({ ok }) => ok)).toBe(true);
  });

  it.each(['dmodk', 'minhop', 'weft'] as const)('%s: a set of tables for each LID of a host', async (algorithm) => {
    const { made, lids, evaluation } = await computeRoutes({
      ...small,
      algorithm,
      lmc: 1,
      traffic: 'all-to-all',
      mostWork: 1e6,
    });
    expect(made.tables).toHaveLength(2);
    expect(lids!.count).toBe(2);
    expect(lids!.differentWays).toBeGreaterThan(1);
    // whole trees carry all-to-all evenly by dmodk; OpenSM's minhop counts destinations, not ways
    expect(evaluation!.maxLoad).toBe(algorithm === 'minhop' ? 24 : 15);
  });

  it('weft: limits and other traffic count for all LIDs of a host', async () => {
    const before = await computeRoutes({ ...small, algorithm: 'dmodk', lmc: 1 });
    const limited = { ...small, lmc: 1, algorithm: 'weft', traffic: 'random-permutation', mostWork: 1e6 } as const;
    const { changedEntries, verdicts } = await computeRoutes({
      ...limited,
      current: before.made.tables,
      mostChanges: 5,
    });
    expect(changedEntries).toBeLessThanOrEqual(5);
    expect(verdicts.every(({ ok }) => ok)).toBe(true);
    const leaf = tree.identity.nodeName.indexOf('leaf00');
    const counters = `   GUID 0x${tree.identity.nodeGuid[leaf]!.toString(16)} port 3: [PortXmitData == 250]\n`;
    const { background } = await computeRoutes({
      ...limited,
      traffic: { csv: 'source,destination,bytes\n0,15,100\n' },
      background: { text: counters, name: 'counters' },
    });
    // both LIDs take the other way up: 1000 bytes stay the largest load
    expect(background).toEqual({ file: 'counters', maxLoad: 1000, backgroundMaxLoad: 1000 });
  });

  it('frees a torus of deadlock by lanes', async () => {
    const torus = { family: 'torus', parameters: { width: 4, height: 4, hostsPerSwitch: 1 } };
    const { made, deadlock } = await computeRoutes({ fabric: torus, algorithm: 'dfsssp' });
    expect(deadlock).toEqual({ lanes: made.lanes!.count, cycle: null });
    expect(made.lanes!.count).toBeGreaterThan(1);
  });

  it('draws what it is asked for', async () => {
    const asked = { ...small, algorithm: 'weft', traffic: 'stencil', mostWork: 1e5, figure: true } as const;
    const { figure, traceFigure } = await computeRoutes({ ...asked, traceFigure: true });
    expect(figure).toMatch(/^<svg [^]*Link loads for stencil/);
    expect(traceFigure).toBeDefined();
  });

  it.each<[string, Partial<RouteRequest>, string]>([
    ['an algorithm that there is not', { algorithm: 'best' as 'weft' }, 'unknown-algorithm'],
    ['a limit on changes to nothing', { algorithm: 'weft', traffic: 'stencil', mostChanges: 3 }, 'missing-current'],
    ['a limit on changes that nobody heeds', { mostChanges: 3 }, 'unused-option'],
    ['a picture without traffic', { figure: true }, 'missing-traffic'],
    ['a picture of no search', { traffic: 'stencil', traceFigure: true }, 'unused-option'],
    ['counters for traffic without bytes', { algorithm: 'weft', traffic: 'stencil', background: 'c' }, 'units-differ'],
    ['earlier counters alone', { backgroundBefore: 'c' }, 'missing-background'],
    ['a LID that hosts have not', { lidOffset: 2 }, 'lid-offset'],
  ])('refuses %s', async (_, change, code) => {
    expect(await codeOf(computeRoutes({ ...small, ...change }))).toBe(code);
  });

  it('finds no file where there are none', async () => {
    await expect(computeRoutes({ ...small, fabric: 'f.net' })).rejects.toThrow(
      'f.net: error: the fabric cannot be read: no such file',
    );
  });
});

describe('beside it', () => {
  it('tables are judged as those who made them judged them', async () => {
    const made = await computeRoutes({ ...small, traffic: 'random-permutation' });
    const { evaluation, verdicts, validity } = await evaluateTables(
      { ...small, traffic: 'random-permutation', tables: made.made.tables },
      patientHost(),
    );
    expect(evaluation).toEqual(made.evaluation);
    expect([verdicts, validity]).toEqual([made.verdicts, made.validity]);
    expect(
      await codeOf(
        evaluateTables({ ...small, traffic: 'stencil', tables: made.made.tables, adaptiveBound: 'lp' }, patientHost()),
      ),
    ).toBe('no-solver');
  });

  it('a row for every algorithm and every table, and for one that refuses', async () => {
    const { made } = await computeRoutes(small);
    const torus = { family: 'torus', parameters: { width: 3, height: 3, hostsPerSwitch: 1 } };
    const compared = await compareRoutes(
      { ...small, traffic: 'stencil', algorithms: ['ftree', 'random'], tables: [made.tables] },
      patientHost(),
    );
    expect(compared.rows.map(({ name, refusal }) => [name, refusal])).toEqual([
      ['ftree', null],
      ['random', null],
      ['tables', null],
    ]);
    const refused = await compareRoutes(
      { fabric: torus, traffic: 'stencil', algorithms: ['ftree', 'dfsssp'] },
      patientHost(),
    );
    expect(refused.rows.map(({ refusal }) => refusal === null)).toEqual([false, true]);
  });

  it('a repaired tree leads everywhere again, and says in which order switches may get its tables', async () => {
    const { made, source } = await computeRoutes(small);
    const broken = { fabric: small.fabric, failedLinks: 0.1 };
    // with links gone ports have other places: tables go by the names of a text
    expect(await codeOf(repairRoutes({ ...broken, current: made.tables }, patientHost()))).toBe('other-fabric');
    const text = [...lftTexts(source, made.tables)].join('');
    const repaired = await repairRoutes({ ...broken, current: { text } }, patientHost());
    expect([repaired.validity.valid, repaired.changedFrom]).toEqual([true, 'tables']);
    const { plan } = await routeTransition({ fabric: small.fabric, old: made.tables, new: made.tables }, patientHost());
    expect(plan.safe).toBe(true);
  });

  it('of several LIDs, each is a destination of its own on the way to new tables', async () => {
    const ring = { family: 'torus', parameters: { width: 4, height: 1, hostsPerSwitch: 1 } };
    const { made, source } = await computeRoutes({ fabric: ring, algorithm: 'sssp', lmc: 1 });
    const { fabric } = source;
    const [first, second] = made.tables.map((tables) => tables.copy());
    const switches = Array.from(first!.switches);
    const target = fabric.hosts.find((host) => fabric.portNeighbour[fabric.portOffset[host]!] === switches[2])!;
    const turn = (tables: typeof first, at: number, to: number): void => {
      const ports = Array.from({ length: fabric.portCount }, (_, port) => port);
      const port = ports.find(
        (own) => fabric.portNode[own] === switches[at] && fabric.portNeighbour[own] === switches[to],
      );
      tables!.setPort(switches[at]!, target, port!);
    };
    for (const [at, to] of [
      [0, 1],
      [1, 2],
      [3, 2],
    ] as const)
      turn(second, at, to);
    const next = second!.copy();
    // the first two switches go round the other side: with one of them written they send to each other
    for (const [at, to] of [
      [1, 0],
      [0, 3],
    ] as const)
      turn(next, at, to);
    const { plan, changedEntries } = await routeTransition(
      { fabric: ring, lmc: 1, old: [first!, second!], new: [first!, next] },
      patientHost(),
    );
    expect(changedEntries).toBe(2);
    expect(plan.safe).toBe(false);
    expect(plan.violations.filter(({ kind }) => kind === 'loop')).toEqual([
      { kind: 'loop', destination: target, lidOffset: 1, path: [switches[0], switches[1]], updated: [switches[1]] },
    ]);
  });

  it('every pair of a leaf-spine fabric has a source port that takes the way of the tables', async () => {
    const fabric = { family: 'leaf-spine', parameters: { leaves: 4, spines: 2, hostsPerLeaf: 2 } };
    const { made } = await computeRoutes({ fabric, algorithm: 'dmodk' });
    const { rows, withoutPort, loads } = await routeSourcePorts(
      { fabric, tables: made.tables, traffic: 'random-permutation' },
      patientHost(),
    );
    expect([rows.length > 0, withoutPort, loads.byPorts]).toEqual([true, 0, loads.byTables]);
  });
});

// Tables as source ports: every port is walked by the tracer of the packet backend along the way of the tables, and a
// run with the ports has the loads that the tables promise.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { simulate } from '../../src/app/simulate.js';
import { generatedFabric, routedFabric } from '../../src/app/routes/fabric-input.js';
import { findSourcePorts } from '../../src/app/routes/source-ports.js';
import { patternTraffic } from '../../src/app/routes/traffic-input.js';
import { destinationPort } from '../../src/execution/admission.js';
import { readSourcePorts, sourcePortsCsv } from '../../src/formats/source-ports.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { routeRandom } from '../../src/routing/random-minimal.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

it(`ports take the ways of the tables, whatever these are (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 4 }),
      fc.integer({ min: 1, max: 4 }),
      fc.nat(1000),
      async (leaves, spines, draw) => {
        const given = generatedFabric('leaf-spine', {
          leaves,
          spines,
          hostsPerLeaf: 2,
          linksPerSpine: 1 + (draw % 2),
        })!;
        const source = routedFabric(given);
        const { fabric } = source;
        const tables = routeRandom(source.tree, draw);
        const { traffic } = patternTraffic({ traffic: 'all-to-all', seed: 1, allocation: 'contiguous' }, source);
        const { rows, withoutPort, loads } = await findSourcePorts(source, tables, traffic);
        expect(withoutPort).toBe(0);
        expect(rows.length).toBe(2 * leaves * (2 * leaves - 1));
        expect(loads.byPorts).toBeCloseTo(loads.byTables, 9);
        const tracer = new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
        const path = new Int32Array(tracer.maxLength);
        for (const row of rows) {
          const length = tracer.trace(row.source, row.destination, row.sourcePort, destinationPort, path);
          for (let i = 1; i < length; i++)
            expect(path[i]).toBe(tables.port(fabric.portNode[path[i]!]!, row.destination));
        }
        const diagnostics = new Diagnostics();
        const read = readSourcePorts([...sourcePortsCsv(rows)].join(''), 'p', fabric, diagnostics)!;
        expect(diagnostics.list).toEqual([]);
        expect(read.size).toBe(rows.length);
      },
    ),
    { seed, numRuns: rounds(15) },
  );
});

const base =
  'fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2 }\ntraffic: { transfers: [ { source: 0, destination: 2, size: 1MB }, { source: 1, destination: 3, size: 1MB } ] }\n';

async function run(ports: string | null, more = '') {
  const files = {
    's.yaml': `${base}${ports === null ? '' : 'routing: { sourcePorts: p.csv }\n'}${more}`,
    'p.csv': ports ?? '',
  };
  const plan = await makePlan('s.yaml', { host: memoryHost(files), overrides: [] });
  return simulate(plan, { host: memoryHost({}) });
}

it('a run goes by the ports of the file', async () => {
  // which spine a port means is asked of the tracer, so that one file keeps both flows on one spine and one apart
  const { fabric } = generatedFabric('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 2 })!;
  const tracer = new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
  const path = new Int32Array(tracer.maxLength);
  const portBy = (from: number, to: number, spine: number): number => {
    for (let port = 1; ; port++) {
      tracer.trace(from, to, port, destinationPort, path);
      if (fabric.portNode[fabric.portPeer[path[1]!]!] === spine) return port;
    }
  };
  const [first, second] = [6, 7];
  const together = await run(`0,2,${portBy(0, 2, first)}\n1,3,${portBy(1, 3, first)}\n`);
  const apart = await run(`# apart\n0,2,${portBy(0, 2, first)}\n1,3,${portBy(1, 3, second)}\n`);
  expect([together.collisions.links, apart.collisions.links]).toEqual([2, 0]);
  // two flows at half the rate each take about twice as long
  expect(together.fct.maxNs / apart.fct.maxNs).toBeGreaterThan(1.5);
});

it.each([
  ['source,destination,source_port,path\n', 'p.csv'],
  ['0,2,99999\n', 'p.csv:1:1'],
  ['0,2\n', 'p.csv:1:1'],
  ['0,4,1\n', 'p.csv:1:1'],
  ['0,0,1\n', 'p.csv:1:1'],
])('refuses %j', async (ports, place) => {
  await expect(run(ports)).rejects.toThrow(place);
});

it('refuses balancing by packets beside it', async () => {
  const files = { 's.yaml': `${base}routing: { sourcePorts: p.csv, balancing: spray }\n`, 'p.csv': '0,2,1\n' };
  await expect(makePlan('s.yaml', { host: memoryHost(files), overrides: [] })).rejects.toThrow('decide nothing');
});

it('refuses a controller beside it', async () => {
  await expect(run('0,2,1\n', 'controller: { enabled: true }\n')).rejects.toThrow('the controller gives source ports');
});

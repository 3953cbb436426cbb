// Pinned paths against the tracer: whatever 2,048 source ports reach is all there is, on small fabrics.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { NodeKind } from '../../src/fabric/fabric.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { nicNumbers, switchPlanes } from '../../src/fabric/nics.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { PinnedPaths, PinTargets } from '../../src/routing/pinned-paths.js';
import { buildFabric, fabricRecipe } from '../support/random-fabric.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

it(`a path that a pin allows exists exactly if the hash of some port takes one (WEFT_SEED=${seed})`, () => {
  const recipe = fabricRecipe({
    ratesBps: [100e9],
    latenciesPs: [1e6],
    mostSwitches: 4,
    mostHosts: 5,
    mostExtraLinks: 4,
  });
  let pinned = 0;
  let refused = 0;
  fc.assert(
    fc.property(recipe, fc.nat(1), fc.nat(3), fc.nat(3), (made, plane, nic, destinationNic) => {
      const fabric = buildFabric(made);
      const routes = new EqualCostRoutes(fabric, 'descending-node-id');
      const tracer = new PathTracer(routes);
      const paths = new PinnedPaths(new PinTargets(fabric), { plane, nic, destinationNic, serviceLevel: -1 });
      const out = new Int32Array(tracer.maxLength);
      const [source, destination] = fabric.hosts as unknown as [number, number];
      const nicOf = nicNumbers(fabric);
      const { planeOf } = switchPlanes(fabric);
      let length = 0;
      /** the path in `out`, by the definition of a pin */
      const isWithin = (wantedPlane: number, from: number, to: number): boolean => {
        const nodes = Array.from(out.subarray(0, length - 1), (port) => fabric.portNode[fabric.portPeer[port]!]!);
        return (
          (wantedPlane === 0 || (nodes.length > 0 && nodes.every((node) => planeOf[node] === wantedPlane))) &&
          (from === 0 || nicOf[out[0]!] === from) &&
          (to === 0 || nicOf[fabric.portPeer[out[length - 1]!]!] === to)
        );
      };
      let found = false;
      let disagreements = 0;
      for (let port = 0; port < 2048 && !found; port++) {
        length = tracer.trace(source, destination, port, 100, out);
        found = length > 0 && isWithin(plane, nic, destinationNic);
        length = tracer.trace(destination, source, 100, port, out);
        found &&= length > 0 && isWithin(plane, destinationNic, nic);
        if (paths.takes(tracer, source, destination, port, 100) !== found) disagreements++;
      }
      expect(disagreements).toBe(0);
      expect(paths.exists(routes, source, destination)).toBe(found);
      if (found) pinned++;
      else refused++;
    }),
    { seed, numRuns: rounds(100) },
  );
  expect(Math.min(pinned, refused)).toBeGreaterThan(0);
});

it('NICs are counted without NVLink, planes by their lowest switch', () => {
  const fabric = generateFabric('alibaba-hpn', { dualPlane: 'true', gpus: '16', nicsPerAsw: '2', pswSwitches: '4' });
  const nicOf = nicNumbers(fabric);
  // a GPU's links: to its NVSwitch, to its leaf of the first plane, to that of the second
  expect([...nicOf.subarray(fabric.portOffset[3]!, fabric.portOffset[4]!)]).toEqual([0, 1, 2]);
  const { planeOf, count } = switchPlanes(fabric);
  expect(count).toBe(2);
  // 2 servers: GPUs 0-15, NVSwitches 16 and 17, leaves 18-25 and 26-33, spines 34, 35 and 36, 37
  expect([...planeOf]).toEqual([
    ...Array<number>(18).fill(0),
    ...Array<number>(8).fill(1),
    ...Array<number>(8).fill(2),
    1,
    1,
    2,
    2,
  ]);
  expect(fabric.nodeKind[16]).toBe(NodeKind.nvswitch);
});

// What a search for traffic had found a part of the way to its end.

import { expect, it } from 'vitest';
import { oneLane } from '../../src/app/reconstruct/lane-strategies.js';
import { countersOf } from '../../src/app/reconstruct/made-counters.js';
import { findTraffic } from '../../src/app/reconstruct/find-traffic.js';
import { trafficCsv } from '../../src/formats/traffic-matrix.js';
import { TrafficBuilder, type Traffic } from '../../src/flows/traffic/matrix.js';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import type { RoutedFabric } from '../../src/fabric/routed-fabric.js';
import { PairRows } from '../../src/reconstruction/pair-rows.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { identifiedTree } from '../support/infiniband.js';
import { patientHost } from '../support/patient-host.js';

const csv = (traffic: Traffic): string => [...trafficCsv(traffic)].join('');

it('is what a search of half as many steps finds', async () => {
  const { fabric } = identifiedTree('fat-tree', { k: 4 });
  const source = { fabric, tree: recogniseFatTree(fabric).tree!, warnings: [] } as unknown as RoutedFabric;
  const builder = new TrafficBuilder(fabric.hosts.length, 'bytes');
  for (let from = 0; from < 16; from++)
    for (const next of [1, 5, 6]) builder.add(from, (from + next) % 16, 1000 + 100 * ((from * next) % 7));
  const rows = new PairRows(fabric, routeDmodK(source.tree), oneLane);
  const { counters } = countersOf(builder.build(), source, rows);
  const counted = { counters, received: new Float64Array(fabric.portCount) };
  const after = (mostWork: number): ReturnType<typeof findTraffic> =>
    findTraffic(
      { source, rows, counted, unit: 'bytes', keepsEarlier: true },
      { dictionary: 'od', seconds: 60, mostWork },
      patientHost(),
    );
  const [first, second] = [await after(40), await after(80)];
  expect([first.steps, second.steps]).toEqual([40, 80]);
  expect(csv(second.earlier)).toBe(csv(first.traffic));
  expect(csv(second.traffic)).not.toBe(csv(first.traffic));
});

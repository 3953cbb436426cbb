// Messages that leave no node, which only the program tells: counted by hand.

import { expect, it } from 'vitest';
import { memoryHost } from '../../src/app/memory-host.js';
import { visitWithinNodes } from '../../src/programs/within-nodes.js';
import { makePlan } from '../../src/scenario/make-plan.js';

async function within(workload: Readonly<Record<string, unknown>>): Promise<string[]> {
  const fabric = { generate: 'leaf-spine', leaves: 2, spines: 2, hostsPerLeaf: 2 };
  const files = { 'case.yaml': JSON.stringify({ fabric, workload }) };
  const { programs } = await makePlan('case.yaml', { overrides: [], host: memoryHost(files) });
  const told: string[] = [];
  visitWithinNodes(programs[0]!, (from, to, bytes) => told.push(`${from}-${to} ${bytes}`));
  return told.sort();
}

it('finds the neighbours of a row that share a node', async () => {
  const row = { program: 'stencil', x: 4, y: 1, z: 1, periodic: false, messageSize: '1KiB', ranksPerNode: 2 };
  // 0 and 1 on one node, 2 and 3 on the other
  expect(await within(row)).toEqual(['0-1 1024', '1-0 1024', '2-3 1024', '3-2 1024']);
  // dealt out, no neighbours share one
  expect(await within({ ...row, mapping: 'cyclic' })).toEqual([]);
  expect(await within({ ...row, ranksPerNode: 1 })).toEqual([]);
});

it('counts what collectives send from rank to rank', async () => {
  // an alltoall of four ranks on two nodes: each has one other rank on its node
  const plane = { program: 'pf3d', x: 4, y: 1, z: 1, messageSize: '2KiB', alltoalls: 1, ranksPerNode: 2 };
  expect(await within(plane)).toEqual(['0-1 2048', '1-0 2048', '2-3 2048', '3-2 2048']);
});

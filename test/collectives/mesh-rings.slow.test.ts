// Rings over GPUs that are cabled to each other: no link is used twice, all are used, and transfers over several
// NVSwitches are striped over them.

import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { runProgram } from '../../src/cli/program.js';
import { Communicator } from '../../src/collectives/communicator.js';
import { meshRings } from '../../src/collectives/mesh-rings.js';
import { ringOrders } from '../../src/collectives/ring-order.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { memoryHost } from '../memory-host.js';
import { scriptedContext } from '../support/command-context.js';

/** Link directions that rings take, each as often as it is taken. */
const taken = (ring: readonly number[]): string[] => ring.map((place, i) => `${place} ${ring[(i + 1) % ring.length]!}`);

describe('rings over a mesh', () => {
  // Tillson 1980: n - 1, but for 4 and 6 GPUs
  it.each([
    [2, 0],
    [3, 2],
    [4, 2],
    [5, 4],
    [6, 4],
    [7, 6],
    [8, 7],
    [16, 15],
    [33, 0],
  ])('of %i GPUs are %i, and no link is in two of them', (gpus, count) => {
    const rings = meshRings(gpus);
    expect(rings.length).toBe(count);
    for (const ring of rings) expect([...ring].sort((a, b) => a - b)).toEqual([...ring.keys()]);
    const links = rings.flatMap(taken);
    expect(new Set(links).size).toBe(links.length);
  });

  it('between servers leave by a NIC each, and take every link within them once', () => {
    const fabric = generateFabric('spectrum-x', { gpus: 16, gpuType: 'MI300X' });
    const { order } = ringOrders(
      'rail-aligned',
      new Communicator(
        fabric,
        Int32Array.from({ length: 16 }, (_, i) => i),
      ),
      8,
    );
    const hops = Array.from({ length: 8 }, (_, c) => taken([...order.subarray(16 * c, 16 * c + 16)])).flat();
    const pairs = hops.map((hop) => hop.split(' ').map(Number) as [number, number]);
    const within = pairs.filter(([from, to]) => from >> 3 === to >> 3);
    expect(new Set(within.map(String)).size).toBe(2 * 56);
    expect(within.length).toBe(2 * 56);
    const between = pairs.filter(([from, to]) => from >> 3 !== to >> 3);
    expect(between.every(([from, to]) => from % 8 === to % 8)).toBe(true);
    expect(between.map(([from]) => from).sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, i) => i));
  });
});

/** A topology of 8 GPUs in a server, as SimAI writes it. */
const topology = (switches: number, links: string[]): string =>
  `${8 + switches} 8 ${switches} 0 ${links.length} H100\n${Array.from({ length: switches }, (_, i) => 8 + i).join(' ')}\n${links.join('\n')}\n`;
const gpus = Array.from({ length: 8 }, (_, i) => i);
const toSwitches = (count: number, gbps: number): string =>
  topology(
    count,
    gpus.flatMap((gpu) => Array.from({ length: count }, (_, i) => `${gpu} ${8 + i} ${gbps}Gbps 0.000025ms 0`)),
  );
const mesh = topology(
  0,
  gpus.flatMap((a) => gpus.slice(a + 1).map((b) => `${a} ${b} 512Gbps 0.0001ms 0`)),
);

async function busbw(kind: string, text: string, backend: string, size = '32MiB'): Promise<number> {
  const world = scriptedContext({ simulate, host: memoryHost({ 'a.topo': text }) });
  const line = `collective ${kind} --fabric a.topo --no-nvls --sizes ${size} --backend ${backend} --json`;
  expect(await runProgram(line.split(' '), world), world.stderr.text).toBe(0);
  return (JSON.parse(world.stdout.text) as { rows: { busbwGBps: number }[] }).rows[0]!.busbwGBps;
}

describe.each(['packet', 'fluid', 'analytical'])('on the backend %s', (backend) => {
  // packets take four times as long on a link that is a quarter as fast, and a ring waits for one at every step; with
  // hashes an all-to-all had half, a transfer a quarter
  const [size, within] = backend === 'packet' ? ['32MiB', 0.1] : ['1GiB', 0.01];
  it.each(['allreduce', 'alltoall', 'sendrecv'])('four NVSwitches are as good as one: %s', async (kind) => {
    const four = await busbw(kind, toSwitches(4, 900), backend, size);
    const one = await busbw(kind, toSwitches(1, 3600), backend, size);
    expect(Math.abs(four / one - 1)).toBeLessThan(within);
  });

  it('an allreduce over a mesh takes all 56 link directions', async () => {
    // latencies of rings cost 32 MiB a third; 8 directions alone would give 64
    expect(await busbw('allreduce', mesh, backend)).toBeGreaterThan(0.6 * 7 * 64);
    expect(await busbw('allreduce', mesh, backend)).toBeLessThan(7 * 64);
  });
});

// NICs with two ports: flows over both, as many queue pairs on each, and where one queue pair is hashed as before.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../src/app/run-progress.js';
import { simulate } from '../../src/app/simulate.js';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { largestPartBytes, nicPortsOf } from '../../src/routing/nic-ports.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

const us = 1e6;
const payloadBytes = 4096;
/** link time of a full packet at 400 Gb/s with headers and gap, of an ACK with its gap, in picoseconds */
const fullPs = ((payloadBytes + 62 + 20) * 8e12) / 400e9;
const ackPs = ((66 + 20) * 8e12) / 400e9;

type Transfer = readonly [source: number, destination: number, sizeBytes: number];
interface Run {
  readonly summary: RunSummary;
  readonly rows: ReadonlyMap<string, readonly (readonly number[])[]>;
}

async function run(fabric: string, transfers: readonly Transfer[], rest = '', overrides: string[] = []): Promise<Run> {
  const list = transfers.map(([a, b, bytes]) => `{ source: ${a}, destination: ${b}, size: ${bytes}B }`).join(', ');
  const host = memoryHost({
    's.yaml': `fabric: { ${fabric} }\ntraffic: { transfers: [ ${list} ] }\necn: { enabled: false }\n${rest}`,
  });
  const rows = new Map<string, number[][]>();
  const sink = {
    full: false,
    drain: () => Promise.resolve(),
    put: (batch: { schema: { name: string }; columns: readonly ArrayLike<number>[]; rows: number }) => {
      const known = rows.get(batch.schema.name) ?? [];
      for (let i = 0; i < batch.rows; i++) known.push(batch.columns.map((column) => column[i]!));
      rows.set(batch.schema.name, known);
    },
  };
  const summary = await simulate(await makePlan('s.yaml', { host, overrides }), { host, sink });
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  return { summary, rows };
}

/** Ports of 200 Gb/s at two leaves; and one of 400 Gb/s at one leaf: cables of 1 us each. */
const twoPorts =
  'generate: alibaba-hpn, dualPlane: true, gpus: 8, gpusPerServer: 1, nvswitchesPerServer: 0, pswSwitches: 2, nicsPerAsw: 8, latency: 1us';
const onePort = 'generate: spectrum-x, gpus: 8, gpusPerServer: 1, nvswitchesPerServer: 0, nicsPerAsw: 8, latency: 1us';
const backends = ['packet', 'fluid', 'analytical'] as const;

describe('a NIC with two ports', () => {
  it.each(backends)('is as fast as one port of their rates together, but for one packet (%s)', async (backend) => {
    for (const packets of [2, 64, 2000]) {
      const time = async (fabric: string): Promise<number> =>
        (await run(fabric, [[0, 5, packets * payloadBytes]], `backend: ${backend}\n`)).summary.simulatedPs;
      // packets go over two links one behind the other, and the last one's ACK comes back over two
      const [one, two] = [await time(onePort), await time(twoPorts)];
      expect(one).toBe((packets + 1) * fullPs + 2 * us + 2 * (ackPs + us));
      // half of the packets over each port, where packet and ACK take twice as long
      expect(two).toBe((packets / 2 + 1) * 2 * fullPs + 2 * us + 2 * (2 * ackPs + us));
      expect(two - one).toBe(fullPs + 2 * ackPs);
    }
  });

  it.each(backends)('takes twice the time with one queue pair, or hashed to one port (%s)', async (backend) => {
    const time = async (...set: string[]): Promise<number> =>
      (await run(twoPorts, [[0, 5, 2000 * payloadBytes]], `backend: ${backend}\n`, set)).summary.simulatedPs;
    const both = await time();
    const one = await time('queuePair.perFlow=1');
    expect(one - both).toBe(1000 * 2 * fullPs);
    // what two hashed queue pairs take is one or the other, whichever way the hash falls
    expect([both, one]).toContain(await time('queuePair.perFlow=2', 'queuePair.portChoice=hash'));
  });

  it('is never faster than both ports together, with any number of queue pairs', async () => {
    for (const perFlow of ['auto', 1, 2, 3, 7])
      for (const size of [1, 4096, 4097, 100_000]) {
        const { rows } = await run(twoPorts, [[1, 6, size]], '', [`queuePair.perFlow=${perFlow}`]);
        const [, , , , , sizeBytes, startPs, finishPs] = rows.get('flows')![0]!;
        expect(sizeBytes).toBe(size);
        // all bytes over both ports at once, and light there and back
        expect(finishPs! - startPs!).toBeGreaterThan(4 * us + (size * 8e12) / 400e9);
      }
  });

  it(`gives both ports as many queue pairs, whatever the flows (WEFT_SEED=${seed})`, async () => {
    const flow = fc
      .tuple(fc.nat(15), fc.nat(15), fc.integer({ min: 1, max: 60_000 }))
      .filter(([source, destination]) => source !== destination);
    await fc.assert(
      fc.asyncProperty(fc.array(flow, { minLength: 1, maxLength: 30 }), fc.constantFrom(2, 3, 5), async (flows, n) => {
        // more than one packet each, so that none has a single queue pair
        const transfers = flows.map(([a, b, bytes]): Transfer => [a, b, bytes + n * payloadBytes]);
        const { rows } = await run(
          'generate: alibaba-hpn, gpus: 16, gpusPerServer: 1, nvswitchesPerServer: 0, pswSwitches: 2, nicsPerAsw: 4',
          transfers,
          'backend: analytical\n',
          [`queuePair.perFlow=${n}`],
        );
        // the first switch of a queue pair tells its port: leaves of one set have lower numbers
        const perPort = new Map<string, number>();
        for (const [, source, , , , hop, node] of rows.get('hops')!)
          if (hop === 0) perPort.set(`${source} ${node}`, (perPort.get(`${source} ${node}`) ?? 0) + 1);
        for (const source of new Set(transfers.map(([from]) => from))) {
          const counts = [...perPort].filter(([key]) => key.startsWith(`${source} `)).map(([, count]) => count);
          expect(counts).toHaveLength(2);
          expect(Math.abs(counts[0]! - counts[1]!)).toBeLessThanOrEqual(1);
        }
      }),
      { seed, numRuns: rounds(25) },
    );
  });

  it('hashes one queue pair with the profile simai, as with one queue pair that is hashed', async () => {
    const transfers: Transfer[] = [
      [0, 5, 300_000],
      [0, 5, 300_000],
      [3, 1, 70_000],
    ];
    const simai = await run(twoPorts, transfers, '', ['packet.profile=simai']);
    expect(simai.rows.get('flows')!.map((row) => row[3])).toEqual(expect.arrayContaining([10_000, 10_001, 10_000]));
    expect(new Set(simai.rows.get('hops')!.map((row) => `${row[0]} ${row[3]}`)).size).toBe(3);
    const given = await run(twoPorts, transfers, '', [
      'packet.profile=simai',
      'queuePair.perFlow=1',
      'queuePair.portChoice=in-turn',
    ]);
    expect(given.summary.digest).toBe(simai.summary.digest);
  });

  it('sends on by the port that is left when the other one fails', async () => {
    const size = 2000 * payloadBytes;
    const failed = await run(twoPorts, [[0, 5, size]], 'failures: { events: [ { at: 20us, link: 0-8 } ] }\n');
    expect([failed.summary.outcome, failed.summary.finished]).toEqual(['finished', 1]);
    // half of the bytes that were left by then had no port of their own any more
    const both = (await run(twoPorts, [[0, 5, size]])).summary.simulatedPs;
    expect(failed.summary.simulatedPs).toBeGreaterThan(1.7 * (both - 20 * us));
  });
});

describe('which flows have two queue pairs', () => {
  const auto = { perFlow: 'auto', portChoice: 'in-turn' } as const;
  /** Hosts 0 and 1 in one server with an NVSwitch, and links of these rates to as many switches; host 2 with one link. */
  function nics(...ratesBps: number[]) {
    const builder = new FabricBuilder(2);
    builder.addNodes(NodeKind.host, 3);
    const nvswitch = builder.addNodes(NodeKind.nvswitch, 1);
    const first = builder.addNodes(NodeKind.switch, ratesBps.length);
    for (const host of [0, 1]) {
      builder.addLink(host, nvswitch, 2880e9, 25_000);
      ratesBps.forEach((rateBps, i) => builder.addLink(host, first + i, rateBps, us));
    }
    ratesBps.forEach((_, i) => builder.addLink(2, first + i, 400e9, us));
    return nicPortsOf(new PathTracer(new EqualCostRoutes(builder.build(), 'descending-node-id')), auto);
  }

  it('those that leave a NIC of two ports of one rate', () => {
    const nic = nics(200e9, 200e9)!;
    expect([nic.queuePairs(0, 2), nic.spread(0, 2)]).toEqual([2, 2]);
  });

  it('not those that stay on NVLink, begin at an NVSwitch, or leave other hosts', () => {
    const nic = nics(200e9, 200e9)!;
    expect([nic.queuePairs(0, 1), nic.queuePairs(0, 3), nic.queuePairs(3, 1)]).toEqual([1, 1, 1]);
    // NICs of their own: four of them, or two of different rates
    expect(nics(200e9, 400e9)?.queuePairs(0, 2) ?? 1).toBe(1);
    expect(nics(100e9, 100e9, 100e9, 100e9)?.queuePairs(0, 2) ?? 1).toBe(1);
  });

  it('a port carries the larger half of the packets', () => {
    expect(largestPartBytes(5 * 1000, 1000, 2)).toBe(3000);
    expect(largestPartBytes(999, 1000, 2)).toBe(999);
    expect(largestPartBytes(1001, 1000, 2)).toBe(1000);
    expect(largestPartBytes(7777, 1000, 1)).toBe(7777);
  });
});

// What every network must do, whatever it models, written against execution/network.ts alone: it is driven by a driver
// of this file, without the executor. `checkNetwork(name, make)` adds the tests; a network made in a test file passes it
// like one of src.
// A case that does not apply to a network is skipped with a written reason.

import { expect, describe, it } from 'vitest';
import { Frontier, Stage } from '../../src/execution/frontier.js';
import type { Driver, Network } from '../../src/execution/network.js';
import { type Fabric, FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { withForwardingLatency } from '../../src/fabric/forwarding-latency.js';
import { LinkStates } from '../../src/fabric/link-states.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { settingsWith } from '../support/engine-run.js';

/** What a network of the suite is made of. */
export interface SuiteParts {
  readonly fabric: Fabric;
  readonly tracer: PathTracer;
  /** null: links and routes stay as they are */
  readonly links: LinkStates | null;
  /** whether routesChanged or reroute will be called */
  readonly pathsMayChange: boolean;
}

/** Cases that may be skipped, each with the reason. */
export type SkippedCases = { readonly [Case in 'link changes']?: string };

const us = 1e6;

/** Hosts 0 to 3 on leaves 4 and 5, two by two; spines 6 and 7; 100 Gb/s and 1 us each. */
function suiteFabric(): Fabric {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 4);
  builder.addNodes(NodeKind.switch, 4);
  for (const [a, b] of [
    [0, 4],
    [1, 4],
    [2, 5],
    [3, 5],
    [4, 6],
    [4, 7],
    [5, 6],
    [5, 7],
  ] as const)
    builder.addLink(a, b, 100e9, us);
  return withForwardingLatency(builder.build(), settingsWith().switch);
}

/** source, destination, bytes, start, source port */
type SuiteFlow = readonly [number, number, number, number, number];

const flows: readonly SuiteFlow[] = [
  [0, 2, 1_000_000, 0, 10_000],
  [1, 2, 300_000, 0, 10_001],
  [3, 0, 1, 0, 10_002],
  [1, 3, 200_000, 20 * us, 10_003],
  [0, 1, 5000, 20 * us, 10_004],
];

/** Starts flows at their times, keeps what it is told, and does something at a time. */
class SuiteDriver implements Driver {
  readonly frontier = new Frontier();
  readonly log: string[] = [];
  readonly finishPs = new Map<number, number>();
  readonly taken = new Map<number, number[]>();
  lastPs = 0;

  constructor(
    readonly network: Network,
    list: readonly SuiteFlow[],
    private readonly deed: (slot: number) => void = () => {},
    deedPs = NaN,
  ) {
    network.attach(this, this.frontier);
    for (const [source, destination, sizeBytes, startPs, sourcePort] of list) {
      const { frontier } = this;
      const slot = frontier.allocate();
      frontier.id[slot] = slot;
      frontier.first[slot] = slot;
      frontier.unfinished[slot] = 1;
      frontier.source[slot] = source;
      frontier.destination[slot] = destination;
      frontier.sourcePort[slot] = sourcePort;
      frontier.destinationPort[slot] = 100;
      frontier.flowBytes[slot] = frontier.sizeBytes[slot] = sizeBytes;
      frontier.startPs[slot] = startPs;
      network.wakeAt(startPs, slot);
    }
    if (!Number.isNaN(deedPs)) network.wakeAt(deedPs, deedToken);
  }

  wake(token: number, nowPs: number): boolean {
    this.see(nowPs);
    this.log.push(`wake ${token} at ${nowPs}`);
    if (token === deedToken) this.deed(0);
    else if (token < deedToken) {
      this.frontier.stage[token] = Stage.underWay;
      this.network.start(token, nowPs);
    }
    return false;
  }

  finished(slot: number, nowPs: number): void {
    this.see(nowPs);
    expect(this.finishPs.has(slot)).toBe(false);
    this.finishPs.set(slot, nowPs);
    this.log.push(`finish ${slot} at ${nowPs}`);
    this.frontier.release(slot);
    if (this.frontier.live === 0) this.network.drain();
  }

  took(slot: number, port: number): void {
    const own = this.taken.get(slot) ?? [];
    expect(own).not.toContain(port);
    own.push(port);
    this.taken.set(slot, own);
  }

  private see(nowPs: number): void {
    expect(nowPs).toBeGreaterThanOrEqual(this.lastPs);
    expect(nowPs).toBe(this.network.nowPs);
    this.lastPs = nowPs;
  }

  /** Runs to the end. @param sliceEvents events of one advance */
  run(sliceEvents = 100_000): this {
    for (let slices = 0; this.network.advance(sliceEvents); slices++)
      if (slices > 5_000_000) throw new Error('the network does not end');
    this.network.close();
    return this;
  }
}

const deedToken = 1000;

/**
 * Adds the tests that every network passes.
 * @param make the network: called anew for every run @param skipped cases that do not apply, with their reasons
 */
export function checkNetwork(name: string, make: (parts: SuiteParts) => Network, skipped: SkippedCases = {}): void {
  const made = (links: LinkStates | null = null, pathsMayChange = false, fabric = suiteFabric()) => {
    const routes = new EqualCostRoutes(fabric, 'descending-node-id');
    const tracer = new PathTracer(routes, routes.longestPath + 4);
    return { network: make({ fabric, tracer, links, pathsMayChange }), fabric, tracer };
  };
  const ran = (sliceEvents?: number): SuiteDriver => new SuiteDriver(made().network, flows).run(sliceEvents);

  describe(`network ${name}`, () => {
    it('finishes every flow once, after its start, and drains', () => {
      const { finishPs, network } = ran();
      expect([...finishPs.keys()].sort()).toEqual(flows.map((_, slot) => slot));
      // light alone takes 2 us at least, there and back 4
      for (const [slot, [, , sizeBytes, startPs]] of flows.entries())
        expect(finishPs.get(slot)! - startPs).toBeGreaterThanOrEqual(4 * us + (sizeBytes * 8e12) / 100e9);
      expect(network.advance(10)).toBe(false);
      expect(network.counters.payloadBytesDelivered).toBe(flows.reduce((sum, [, , bytes]) => sum + bytes, 0));
      for (const value of Object.values(network.counters)) expect(value).toBeGreaterThanOrEqual(0);
    });

    it('wakes at exact times, those of one time in the order of asking', () => {
      const { network } = made();
      const driver = new SuiteDriver(network, []);
      const times = [5 * us, 3, 5 * us, 3, 0, 5 * us + 1];
      for (const [i, timePs] of times.entries()) network.wakeAt(timePs, deedToken + 1 + i);
      for (let i = 0; i < times.length; i++) network.advance(1);
      const order = [4, 1, 3, 0, 2, 5];
      expect(driver.log).toEqual(order.map((i) => `wake ${deedToken + 1 + i} at ${times[i]}`));
    });

    it('gives the same whatever the length of a slice, and the same twice', () => {
      const whole = ran();
      expect(ran().log).toEqual(whole.log);
      for (const sliceEvents of [1, 3, 64]) {
        const cut = ran(sliceEvents);
        expect(cut.log).toEqual(whole.log);
        expect(cut.network.counters).toEqual(whole.network.counters);
        expect([...cut.taken]).toEqual([...whole.taken]);
      }
    });

    it('does not go on after a wake that says so', () => {
      const { network } = made();
      const driver = new SuiteDriver(network, []);
      driver.wake = (token) => driver.log.push(String(token)) > 0;
      network.wakeAt(1, 1);
      network.wakeAt(1, 2);
      network.advance(100);
      expect(driver.log).toEqual(['1']);
    });

    it('says of its paths what is true', () => {
      const { network, taken } = ran();
      expect(['fixed', 'per-packet']).toContain(network.paths);
      if (network.paths === 'fixed') expect(taken.size).toBe(0);
      else expect([...taken.keys()].sort()).toEqual(flows.map((_, slot) => slot));
    });

    it('has verdicts, all of them good after a good end', () => {
      const verdicts = ran().network.verdicts('finished');
      expect(verdicts.length).toBeGreaterThan(0);
      expect(verdicts.filter(({ ok }) => !ok)).toEqual([]);
    });

    it('survives a flow that is rerouted under way', () => {
      const { network } = made(null, true);
      const driver: SuiteDriver = new SuiteDriver(
        network,
        flows,
        (slot) => {
          driver.frontier.sourcePort[slot] = 10_007;
          network.reroute(slot);
        },
        30 * us,
      );
      driver.run();
      expect(driver.finishPs.size).toBe(flows.length);
      expect(network.verdicts('finished').filter(({ ok }) => !ok)).toEqual([]);
    });

    const reason = skipped['link changes'];
    it.skipIf(reason !== undefined)(
      `survives links that slow down and routes that change${reason === undefined ? '' : ` (skipped: ${reason})`}`,
      () => {
        const fabric = suiteFabric();
        const links = new LinkStates(fabric);
        const { network, tracer } = made(links, true, fabric);
        const driver = new SuiteDriver(
          network,
          flows,
          () => {
            links.rateBps[4] = 50e9;
            network.linkChanged(4);
            const isUp = Uint8Array.from(links.isUp, (up, link) => (link === 5 ? 0 : up));
            tracer.use(new EqualCostRoutes(fabric, 'descending-node-id', { isUp, mostLinks: tracer.maxLength }));
            network.routesChanged();
          },
          30 * us,
        ).run();
        expect(driver.finishPs.size).toBe(flows.length);
        expect(network.verdicts('finished').filter(({ ok }) => !ok)).toEqual([]);
      },
    );
  });
}

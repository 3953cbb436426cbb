// Where flows lost time: cases by hand, and random ones beside a sum over all slices of time between events.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import type { Fabric } from '../../src/fabric/fabric.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { lostTimeReport } from '../../src/measurement/lost-causes.js';
import { LostTime } from '../../src/measurement/lost-time.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { seed } from '../support/seed.js';

interface Sent {
  readonly source: number;
  readonly destination: number;
  readonly sourcePort: number;
  readonly startPs: number;
  readonly finishPs: number;
  readonly alonePs: number;
}

function pathOf(fabric: Fabric, { source, destination, sourcePort }: Sent): Int32Array {
  const tracer = new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
  const path = new Int32Array(tracer.maxLength);
  return path.slice(0, tracer.trace(source, destination, sourcePort, 4791, path));
}

/** Tells a counter of flows in the order of time; what ends comes before what begins. */
function counted(fabric: Fabric, flows: readonly Sent[]): LostTime {
  const lost = new LostTime(fabric);
  const events = flows.flatMap((flow, slot) => [
    { ps: flow.startPs, slot, ends: 0 },
    { ps: flow.finishPs, slot, ends: 1 },
  ]);
  events.sort((a, b) => a.ps - b.ps || b.ends - a.ends || a.slot - b.slot);
  for (const { ps, slot, ends } of events) {
    const flow = flows[slot]!;
    const path = pathOf(fabric, flow);
    const buffer = new Int32Array(8);
    buffer.set(path);
    if (ends === 0) lost.started(slot, slot, buffer, path.length, 1, ps);
    else {
      lost.finished(slot, slot, ps);
      lost.flowFinished(slot, flow.finishPs - flow.startPs, flow.alonePs);
    }
  }
  return lost;
}

const flow = (source: number, destination: number, more: Partial<Sent> = {}): Sent => ({
  source,
  destination,
  sourcePort: 1,
  startPs: 0,
  finishPs: 2000,
  alonePs: 1000,
  ...more,
});

/** Ends of a place, as node numbers. */
const ends = ({ portNode, portNeighbour }: Fabric, port: number): string => `${portNode[port]}-${portNeighbour[port]}`;

describe('by hand', () => {
  // hosts 0 to 3 on switch 8, hosts 4 to 7 on switch 9, one link of half the rate between the switches
  const fabric = generateFabric('dumbbell', { bottleneckRate: '50Gbps' });

  it('the middle carries one flow at half the rate of its hosts: nobody shares, nothing is lost', () => {
    const { lostPs, places } = counted(fabric, [flow(0, 4, { finishPs: 1000 })]).figures();
    expect({ lostPs, places }).toEqual({ lostPs: 0, places: [] });
  });

  it('two flows from two hosts to two hosts lose half of their time in the middle, which nothing stands in for', () => {
    const [place, ...others] = counted(fabric, [flow(0, 4), flow(1, 5)]).figures().places;
    expect(others).toEqual([]);
    expect({ ...place, port: ends(fabric, place!.port) }).toEqual({
      port: '8-9',
      flows: 2,
      mostFlows: 2,
      lostPs: 2000,
      avoidablePs: 0,
    });
  });

  it('three flows into one host lose two thirds on the link into it', () => {
    const flows = [0, 1, 2].map((source) => flow(source, 3, { finishPs: 3000 }));
    const { lostPs, unexplainedPs, alonePs, places } = counted(fabric, flows).figures();
    expect({ lostPs, unexplainedPs, alonePs }).toEqual({ lostPs: 6000, unexplainedPs: 0, alonePs: 3000 });
    expect(places.map(({ port, flows: count }) => [ends(fabric, port), count])).toEqual([['8-3', 3]]);
  });

  it('many flows of one host over a middle of half its rate: the middle held them up, though both cost nearly all', () => {
    // of 100 flows at 50 Gbit/s each the host lets 2 % on, the middle 1 %
    const flows = Array.from({ length: 100 }, () => flow(0, 4, { finishPs: 100_000 }));
    const { places } = counted(fabric, flows).figures();
    expect(places.map(({ port, flows: count }) => [ends(fabric, port), count])).toEqual([['8-9', 100]]);
  });

  it('four queue pairs of a flow on a link are one flow, and two of another one more', () => {
    const lost = new LostTime(fabric);
    const parts = [0, 0, 0, 0, 4, 4];
    const path = new Int32Array(8);
    path.set(pathOf(fabric, flow(0, 4)));
    parts.forEach((first, slot) => lost.started(slot, first, path, 3, first === 0 ? 0.25 : 0.5, 0));
    parts.forEach((first, slot) => lost.finished(slot, first, 1000 + slot));
    for (const first of [0, 4]) lost.flowFinished(first, 2000, 500);
    expect(lost.figures().places.map(({ mostFlows }) => mostFlows)).toEqual([2]);
  });

  it('what sharing does not explain is counted apart', () => {
    // alone all the time, and yet twice as long
    const { lostPs, unexplainedPs, places } = counted(fabric, [flow(0, 4)]).figures();
    expect({ lostPs, unexplainedPs, places }).toEqual({ lostPs: 1000, unexplainedPs: 1000, places: [] });
  });

  it('two flows that meet on one of two spines could have avoided it', () => {
    const spines = generateFabric('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 2 });
    // every link has one rate: each spine carries one flow
    expect(new Set(spines.linkRateBps).size).toBe(1);
    const first = pathOf(spines, flow(0, 2));
    const port = Array.from({ length: 100 }, (_, i) => i).find(
      (sourcePort) => pathOf(spines, flow(1, 3, { sourcePort }))[1] === first[1],
    );
    const { places } = counted(spines, [flow(0, 2), flow(1, 3, { sourcePort: port! })]).figures();
    expect(places).toHaveLength(1);
    expect(places[0]).toMatchObject({ flows: 2, lostPs: 2000, avoidablePs: 2000 });
  });
});

it('links below the rate of most of their kind, of those that flows have crossed', () => {
  const whole = generateFabric('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 3 });
  const slow = new Set([0, 1].map((host) => whole.portLink[whole.portOffset[host]!]!));
  const fabric = { ...whole, linkRateBps: whole.linkRateBps.map((rate, link) => (slow.has(link) ? 2e9 : rate)) };
  const figures = counted(fabric, [flow(0, 3, { finishPs: 1000 })]).figures();
  // host 1 has sent nothing
  expect(lostTimeReport(fabric, figures, null).slowLinks).toEqual([
    { from: 'host[0]', to: 'leaf[0]', rateBps: 2e9, usualBps: 100e9 },
  ]);
});

it(`random flows as slices of time say (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'lost time');
  const fabric = generateFabric('leaf-spine', { leaves: 3, spines: 2, hostsPerLeaf: 3 });
  for (let draw = 0; draw < 20; draw++) {
    const flows = Array.from({ length: 2 + random.nextBelow(12) }, () => {
      const source = random.nextBelow(9);
      const startPs = random.nextBelow(5000);
      return flow(source, (source + 1 + random.nextBelow(8)) % 9, {
        sourcePort: random.nextBelow(1000),
        startPs,
        finishPs: startPs + 1 + random.nextBelow(5000),
        alonePs: 1 + random.nextBelow(500),
      });
    });
    const paths = flows.map((own) => pathOf(fabric, own));
    const rateOf = (port: number): number => fabric.linkRateBps[fabric.portLink[port]!]!;
    const demands = paths.map((path) => Math.min(...Array.from(path, rateOf)));
    const times = [...new Set(flows.flatMap(({ startPs, finishPs }) => [startPs, finishPs]))].sort((a, b) => a - b);
    /** time lost on a port between two times, over all slices between */
    const lostOn = (port: number, fromPs: number, untilPs: number): number =>
      times.slice(1).reduce((sum, endPs, i) => {
        const beginPs = times[i]!;
        if (beginPs < fromPs || endPs > untilPs) return sum;
        const demandBps = flows.reduce(
          (all, { startPs, finishPs }, k) =>
            startPs <= beginPs && finishPs >= endPs && paths[k]!.includes(port) ? all + demands[k]! : all,
          0,
        );
        return sum + Math.max(0, 1 - rateOf(port) / demandBps) * (endPs - beginPs);
      }, 0);
    const expected = new Map<number, number>();
    let unexplainedPs = 0;
    let lostPs = 0;
    flows.forEach(({ startPs, finishPs, alonePs }, i) => {
      const own = Math.max(0, finishPs - startPs - alonePs);
      const worst = (ofHosts: boolean): [number, number] =>
        Array.from(paths[i]!)
          .filter((at) => ofHosts === (fabric.portNode[at]! < 9 || fabric.portNeighbour[at]! < 9))
          .map((at): [number, number] => [at, lostOn(at, startPs, finishPs)])
          .reduce((known, next) => (next[1] > known[1] * (1 + 1e-9) ? next : known), [-1, 0]);
      // of nearly equal ones that of a host counts: nearly equal in what they took of the flow's life and in what they left
      const [ofHosts, between] = [worst(true), worst(false)];
      const lifePs = finishPs - startPs;
      const isNearly = ofHosts[1] >= 0.98 * between[1] && 0.98 * (lifePs - ofHosts[1]) <= lifePs - between[1];
      const [port, most] = isNearly ? ofHosts : between;
      const explainedPs = Math.min(own, most);
      if (explainedPs > 0) expected.set(port, (expected.get(port) ?? 0) + explainedPs);
      unexplainedPs += own - explainedPs;
      lostPs += own;
    });
    const found = counted(fabric, flows).figures();
    expect(found.lostPs).toBeCloseTo(lostPs, 3);
    expect(found.unexplainedPs).toBeCloseTo(unexplainedPs, 3);
    expect(found.places.map(({ port }) => port).sort((a, b) => a - b)).toEqual(
      [...expected.keys()].sort((a, b) => a - b),
    );
    for (const { port, lostPs: own, avoidablePs } of found.places) {
      expect(own).toBeCloseTo(expected.get(port)!, 3);
      expect(avoidablePs).toBeLessThanOrEqual(own);
    }
  }
});

// What every admission policy must do, on runs of whole scenarios: each queue pair is let in exactly once, never before
// its start, released after its end, and none is held at the end. Weft's own policies pass, and one of this file that
// holds back, lets several in at one instant, and moves a flow when a link fails.

import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { CentralController, type ControllerPolicy } from '../../src/controller/central-controller.js';
import {
  type Admission,
  type AdmissionParts,
  CountedPorts,
  heldBack,
  type MakeAdmission,
} from '../../src/execution/admission.js';
import { ControlledPorts } from '../../src/execution/controlled-ports.js';
import { atOnce, ControllerRequests, type ControllerService } from '../../src/execution/controller-requests.js';
import { KeptPorts } from '../../src/execution/kept-ports.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { flowRows, hopRows } from '../support/engine-run.js';

/** Holds flows until three wait, or 100 us long; on a change of links moves the oldest one to another port. */
class ThreeAtOnce implements Admission {
  readonly movesFlows = true;
  moves = 0;
  private waiting: number[] = [];
  private readonly under: number[] = [];
  private wakes = 0;

  constructor(private readonly parts: AdmissionParts) {}

  admit(slot: number, nowPs: number): number {
    this.waiting.push(slot);
    if (this.waiting.length === 3) this.parts.door.wakeAt(Math.max(nowPs, this.parts.door.nowPs), ++this.wakes);
    else this.parts.door.wakeAt(Math.max(nowPs, this.parts.door.nowPs) + 100e6, ++this.wakes);
    return heldBack;
  }

  due(): void {
    for (const [i, slot] of this.waiting.entries()) {
      this.parts.door.enter(slot, 20_000 + i);
      this.under.push(slot);
    }
    this.waiting = [];
  }

  linksChanged(): void {
    const [slot] = this.under;
    if (slot === undefined) return;
    this.moves++;
    this.parts.door.move(slot, 30_000 + this.moves);
  }

  release(slot: number): void {
    this.under.splice(this.under.indexOf(slot), 1);
  }
}

/** When it is asked for a further queue pair of a flow, moves the first one, which it has just answered for. */
class MovesSiblings implements Admission {
  readonly movesFlows = true;
  private ports = 40_000;

  constructor(private readonly parts: AdmissionParts) {}

  admit(slot: number): number {
    const first = this.parts.frontier.first[slot]!;
    if (slot !== first) this.parts.door.move(first, this.ports++);
    return this.ports++;
  }

  release(): void {}
}

/** Asks a policy and keeps the books. */
class Watched implements Admission {
  readonly problems: string[] = [];
  private readonly state = new Map<number, 'held' | 'in'>();
  asked = 0;
  released = 0;
  readonly movesFlows: boolean;
  private readonly inner: Admission;

  constructor(parts: AdmissionParts, make: MakeAdmission) {
    const { door } = parts;
    const enter = (slot: number, port: number): void => {
      if (this.state.get(slot) !== 'held') this.problems.push(`slot ${slot} enters and is not held`);
      this.state.set(slot, 'in');
      door.enter(slot, port);
    };
    this.inner = make({
      ...parts,
      door: {
        get nowPs() {
          return door.nowPs;
        },
        enter,
        move: (slot, port) => door.move(slot, port),
        wakeAt: (timePs, token) => door.wakeAt(timePs, token),
      },
    });
    this.movesFlows = this.inner.movesFlows === true;
  }

  admit(slot: number, nowPs: number): number {
    this.asked++;
    if (this.state.has(slot)) this.problems.push(`slot ${slot} is asked for twice`);
    const port = this.inner.admit(slot, nowPs);
    this.state.set(slot, port === heldBack ? 'held' : 'in');
    return port;
  }

  release(slot: number, nowPs: number): void {
    this.released++;
    if (this.state.get(slot) !== 'in') this.problems.push(`slot ${slot} is released and was not let in`);
    this.state.delete(slot);
    this.inner.release(slot, nowPs);
  }

  linksChanged(nowPs: number): void {
    this.inner.linksChanged?.(nowPs);
  }

  due(token: number, nowPs: number): void {
    this.inner.due?.(token, nowPs);
  }

  get left(): number {
    return this.state.size;
  }
}

const scenario = (backend: string, more: object) =>
  JSON.stringify({
    backend,
    fabric: { generate: 'leaf-spine', leaves: 2, spines: 2, hostsPerLeaf: 3 },
    traffic: {
      transfers: [0, 1, 2, 0, 1].map((source, i) => ({
        source,
        destination: 3 + ((source + i) % 3),
        size: '1MB',
        start: `${7 * i}us`,
      })),
    },
    ...more,
  });

async function watchedRun(backend: string, make: MakeAdmission, more: object = {}) {
  const host = memoryHost({ 's.yaml': scenario(backend, more) });
  const plan = await makePlan('s.yaml', { host, overrides: [] });
  const sink = new MemorySink();
  let watched: Watched | null = null;
  const admission: MakeAdmission = (parts) => (watched = new Watched(parts, make));
  const summary = await simulate(plan, { host, sink, admission });
  return { summary, sink, watched: watched! as Watched };
}

/** A run that would not end by itself is stopped after four times as many events. */
async function endOf(backend: string, admission: MakeAdmission) {
  const host = memoryHost({ 's.yaml': scenario(backend, {}) });
  const plan = await makePlan('s.yaml', { host, overrides: [] });
  let slices = 0;
  return simulate(plan, { host, admission, stopRequested: () => slices++ > 40 });
}

/** The controller behind a door, as simulate() puts it together. */
function controlledLater(
  { frontier, fabric, tracer, door }: AdmissionParts,
  policy: ControllerPolicy,
  service: ControllerService,
): Admission {
  const requests = new ControllerRequests(frontier, tracer, new CentralController(tracer, policy), service);
  const ports = new ControlledPorts(requests, new CountedPorts(frontier, fabric.nodeCount));
  const kept = new KeptPorts(frontier, ports, door, service.reassigns);
  requests.answerBy(kept);
  return kept;
}

const policies: Readonly<Record<string, MakeAdmission>> = {
  counted: ({ frontier, fabric }) => new CountedPorts(frontier, fabric.nodeCount),
  controlled: ({ frontier, fabric, tracer }) =>
    new ControlledPorts(
      new ControllerRequests(frontier, tracer, new CentralController(tracer)),
      new CountedPorts(frontier, fabric.nodeCount),
    ),
  'controlled, together': (parts) => controlledLater(parts, 'batch', { ...atOnce }),
  'controlled, later': (parts) => controlledLater(parts, 'first-fit', { ...atOnce, delayPs: 2e6, intervalPs: 1e6 }),
  'controlled, moving': (parts) => controlledLater(parts, 'least-loaded', { ...atOnce, delayPs: 1e6, reassigns: true }),
  'three at once': (parts) => new ThreeAtOnce(parts),
  'moving siblings': (parts) => new MovesSiblings(parts),
};

describe.each(Object.entries(policies))('admission %s', (_name, make) => {
  it.each(['packet', 'fluid', 'analytical'])('lets every queue pair in once, on %s', async (backend) => {
    const { summary, watched, sink } = await watchedRun(backend, make, { queuePair: { perFlow: 2 } });
    expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
    expect([watched.problems, watched.asked, watched.released, watched.left]).toEqual([[], 10, 10, 0]);
    // waiting counts: a flow starts at its transfer's time
    const starts = flowRows(sink).map(({ startPs }) => startPs / 1e6);
    expect(starts.sort((a, b) => a - b)).toEqual([0, 7, 14, 21, 28]);
  });
});

describe('a policy that answers later', () => {
  it.each(['packet', 'fluid'])('moves a flow under way when a link fails, on %s', async (backend) => {
    const made: ThreeAtOnce[] = [];
    const { summary, sink } = await watchedRun(
      backend,
      (parts) => {
        made.push(new ThreeAtOnce(parts));
        return made[0]!;
      },
      {
        queuePair: { retransmissionTimeout: '500us' },
        failures: { convergenceTime: '0us', events: [{ at: '40us', link: '6-8' }] },
      },
    );
    expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
    expect(made[0]!.moves).toBeGreaterThan(0);
    const moved = flowRows(sink).find(({ sourcePort }) => sourcePort > 30_000)!;
    // its rows: the path of the port by which it came in, then that of the one to which it moved
    const spines = hopRows(sink).filter(({ flow, hop }) => flow === moved.flow && hop === 1);
    expect(spines.length).toBeGreaterThan(0);
    expect(spines.at(-1)!.node).toBe(9);
  });

  it.each(['packet', 'fluid'])(
    'leaves no trace of a way that a flow was given but never took, on %s',
    async (backend) => {
      // moved by hand between its admission and its start, which the software's latency puts apart
      class SecondThoughts implements Admission {
        readonly movesFlows = true;
        constructor(private readonly parts: AdmissionParts) {}
        admit(slot: number): number {
          this.parts.door.wakeAt(this.parts.door.nowPs + 1e6, slot);
          return 10_000;
        }
        due(slot: number): void {
          this.parts.door.move(slot, 40_000 + slot);
        }
        release(): void {}
      }
      const { summary, sink } = await watchedRun(backend, (parts) => new SecondThoughts(parts), {
        sendLatency: '5us',
      });
      expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
      const rows = hopRows(sink);
      for (const { flow, sourcePort } of flowRows(sink)) {
        expect(sourcePort).toBeGreaterThanOrEqual(40_000);
        const own = rows.filter((row) => row.flow === flow);
        expect(own.map(({ hop }) => hop)).toEqual([0, 1, 2]);
        expect(own.every((row) => row.sourcePort === sourcePort)).toBe(true);
      }
    },
  );

  it('and never lets in leaves a blocked run that names what waits', async () => {
    const { summary } = await watchedRun('packet', () => ({ admit: () => heldBack, release: () => {} }));
    expect(summary.outcome).toBe('blocked');
    expect(summary.verdicts.find(({ name }) => name === 'all flows finished')!.detail).toContain(
      'held back by admission: 0, 1, 2, 3, 4',
    );
  });

  /** Has itself called for ever, at the same instant or later and later; lets the first flow in. */
  class WaitsForItself implements Admission {
    private readonly held: number[] = [];
    constructor(
      private readonly parts: AdmissionParts,
      private readonly stepPs: number,
    ) {}
    admit(slot: number): number {
      this.held.push(slot);
      if (this.held.length === 1) this.parts.door.wakeAt(this.parts.door.nowPs, 0);
      return heldBack;
    }
    due(_token: number, nowPs: number): void {
      if (this.held[0] === 0) this.parts.door.enter(this.held.shift()!, 10_000);
      this.parts.door.wakeAt(nowPs + this.stepPs, 0);
    }
    release(): void {}
  }

  it.each([
    ['packet', 1e6, 1, ' (held back: 1, 2, 3, 4); unfinished: 1, 2, 3, 4'],
    ['analytical', 1e6, 1, ' (held back: 1, 2, 3, 4); unfinished: 1, 2, 3, 4'],
    // the other transfers never come
    ['packet', 0, 0, '; unfinished: 0'],
    ['fluid', 0, 0, '; unfinished: 0'],
  ])(
    'and waits for itself for ever ends, blocked, on %s with %i ps between its calls',
    async (backend, stepPs, finished, rest) => {
      const summary = await endOf(backend, (parts) => new WaitsForItself(parts, stepPs));
      expect(summary.outcome).toBe('blocked');
      expect(summary.finished).toBe(finished);
      expect(summary.verdicts.find(({ name }) => name === 'all flows finished')!.detail).toContain(
        `; admission policy WaitsForItself had itself called 1000000 times in a row and let nothing in${rest}`,
      );
    },
  );
});

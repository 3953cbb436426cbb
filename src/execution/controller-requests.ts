// What queue pairs ask the central controller, when it answers, and what it does with those under way when routes
// change: whoever is on another path than the one that it holds gives that up, and is placed anew, by another source
// port if need be.
// A controller that takes no time and places one by one answers at once. Else queue pairs wait: it takes so many
// requests a second, one after the other, and an answer comes a delay after its request was taken. Where it places
// together, all that ask at one instant are answered when the last of them is.
// Invariants: what the controller holds for a queue pair under way is the path that it takes; a queue pair that is
// moved keeps all that it has sent; answers come in the order of requests.
// Source: central-controller document (docs/SOURCES.md), 9.1, whose controller takes no time and keeps stale tables;
// the rest is Weft's. Not modelled: what it learns late (that flows have ended, of routes beyond their convergence).

import { Float64List } from '../base/columns.js';
import type { CentralController, PlacedFlow } from '../controller/central-controller.js';
import type { ControllerFigures } from '../measurement/controller-figures.js';
import type { EqualCostRoutes } from '../routing/equal-cost.js';
import type { PathTracer } from '../routing/path.js';
import type { PinnedPaths } from '../routing/pinned-paths.js';
import { type AdmissionDoor, destinationPort, heldBack } from './admission.js';
import type { Frontier } from './frontier.js';
import type { PortPolls } from './port-polls.js';

/** How queue pairs are let in that wait, and get another source port while they are under way. */
export interface Gate extends Pick<AdmissionDoor, 'nowPs' | 'wakeAt'> {
  /** @param pair the connection's queue pair, of which all transfers are meant; -1: the one in the slot */
  enter(slot: number, pair: number, sourcePort: number): void;
  move(slot: number, pair: number, sourcePort: number): void;
}

/** How long a controller takes, and what it does later. */
export interface ControllerService {
  /** from when a request is taken until its answer is there, and from one that is taken to the next, in picoseconds */
  readonly delayPs: number;
  readonly intervalPs: number;
  /** queue pairs under way are placed anew when routes change */
  readonly reassigns: boolean;
  /** by host: 1 if it asks the controller; null: all do */
  readonly asks: Uint8Array | null;
}

/** The token of a wake by which port counters are read; all others are above it. */
export const pollToken = 0;

/** It answers at once, and moves nobody. */
export const atOnce: ControllerService = { delayPs: 0, intervalPs: 0, reassigns: false, asks: null };

/** A queue pair that the controller has answered; its slot may be another's by now if it is a connection's. */
interface Answered extends PlacedFlow {
  readonly slot: number;
  readonly pair: number;
  port: number;
  /** it has asked to be placed anew */
  isWaiting: boolean;
}

/**
 * A queue pair that waits: for its first port, to keep the one that it had, or to be placed anew while it is under way.
 */
interface Request {
  readonly flow: PlacedFlow;
  readonly slot: number;
  readonly pair: number;
  readonly port: number;
  readonly kind: 'assign' | 'keep' | 'move';
}

/** Requests that are answered at one time. */
interface Batch {
  readonly askedPs: number;
  answerPs: number;
  readonly requests: Request[];
  /** requests when it was last looked at */
  seen: number;
}

/** Whether a controller of this kind ever has queue pairs wait. */
export function holdsBack({ placesTogether }: CentralController, { delayPs, intervalPs }: ControllerService): boolean {
  return placesTogether || delayPs > 0 || intervalPs > 0;
}

export class ControllerRequests {
  private moved = 0;
  private gate: Gate | null = null;
  private readonly waits = new Float64List();
  /** by what the controller knows a queue pair by; empty where none is ever moved */
  private readonly answered = new Map<number, Answered>();
  private routes: EqualCostRoutes;
  /** in the order of their answers */
  private readonly batches: Batch[] = [];
  private readonly early = new Map<number, Request>();
  private tokens = 0;
  /** when the controller can take the next request */
  private freePs = 0;
  private readonly holds: boolean;
  private polls: PortPolls | null = null;

  constructor(
    private readonly frontier: Frontier,
    private readonly tracer: PathTracer,
    private readonly controller: CentralController,
    private readonly service = atOnce,
  ) {
    this.routes = tracer.routes;
    this.holds = holdsBack(controller, service);
  }

  get figures(): ControllerFigures {
    const { policy, assigned, unassigned } = this.controller;
    const waits = this.waits.toArray().sort();
    return {
      policy,
      assigned,
      unassigned,
      moved: this.service.reassigns ? this.moved : null,
      wait:
        this.service.delayPs === 0 && this.service.intervalPs === 0
          ? null
          : {
              medianNs: waits.length === 0 ? 0 : waits[(waits.length - 1) >> 1]! / 1000,
              maxNs: waits.length === 0 ? 0 : waits[waits.length - 1]! / 1000,
            },
    };
  }

  /** Needed if anybody waits or is moved. */
  answerBy(gate: Gate): void {
    this.gate = gate;
  }

  /** The controller reads port counters. */
  pollBy(polls: PortPolls): void {
    this.polls = polls;
  }

  /** A queue pair wants a source port. @param port the one that it has if the controller has no say */
  assign(slot: number, pinned: PinnedPaths | null, port: number, nowPs: number): number {
    this.polls?.flowComes();
    if (!this.isAsked(slot)) return port;
    const flow = placedFlow(this.frontier, slot, pinned);
    if (this.holds && this.controller.hasSay(flow, port)) return this.wait('assign', flow, slot, port, nowPs);
    return this.remember(slot, flow, this.controller.assignSourcePort(flow, port));
  }

  /** The same of one that had a port before, which it keeps if it can. */
  keep(slot: number, pinned: PinnedPaths | null, port: number, nowPs: number): number {
    this.polls?.flowComes();
    if (!this.isAsked(slot)) return port;
    const flow = placedFlow(this.frontier, slot, pinned);
    if (this.holds && this.controller.hasSay(flow, port)) return this.wait('keep', flow, slot, port, nowPs);
    return this.remember(slot, flow, this.controller.keepSourcePort(flow, port));
  }

  release(slot: number): void {
    const holder = holderOf(this.frontier, slot);
    this.answered.delete(holder);
    this.controller.release(holder);
  }

  /**
   * Links have changed: if routes have, too, whoever is on another path now is placed anew, in the order of answers.
   */
  linksChanged(nowPs: number): void {
    const { controller, tracer, service } = this;
    if (!service.reassigns || tracer.routes === this.routes) return;
    this.routes = tracer.routes;
    const others = [...this.answered.values()].filter((flow) => !controller.isWhereItHolds(flow, flow.port));
    for (const { flow } of others) controller.giveUpHops(flow);
    for (const flow of others) {
      if (service.delayPs === 0 && service.intervalPs === 0) this.placeAnew(flow);
      else if (!flow.isWaiting) {
        flow.isWaiting = true;
        this.take({ kind: 'move', flow, slot: flow.slot, pair: flow.pair, port: flow.port }, nowPs);
      }
    }
  }

  /** A time has come that was asked for. */
  due(token: number, nowPs: number): void {
    if (token === pollToken) {
      this.polls!.due();
      return;
    }
    const early = this.early.get(token);
    if (early !== undefined) {
      this.early.delete(token);
      this.take(early, nowPs);
      return;
    }
    for (let batch = this.batches[0]; batch !== undefined && batch.answerPs <= nowPs; batch = this.batches[0]) {
      // at the end of the instant: when nobody has come since it was looked at last
      if (batch.askedPs === nowPs && this.controller.placesTogether && batch.seen < batch.requests.length) {
        batch.seen = batch.requests.length;
        this.gate!.wakeAt(nowPs, ++this.tokens);
        return;
      }
      this.batches.shift();
      this.answer(batch, nowPs);
    }
  }

  private isAsked(slot: number): boolean {
    const { asks } = this.service;
    return asks === null || asks[this.frontier.source[slot]!] === 1;
  }

  private wait(kind: Request['kind'], flow: PlacedFlow, slot: number, port: number, nowPs: number): number {
    const request = { kind, flow, slot, pair: this.frontier.queuePair[slot]!, port };
    if (nowPs > this.gate!.nowPs) {
      this.early.set(++this.tokens, request);
      this.gate!.wakeAt(nowPs, this.tokens);
    } else this.take(request, nowPs);
    return heldBack;
  }

  /** The controller is asked now. */
  private take(request: Request, nowPs: number): void {
    const { delayPs, intervalPs } = this.service;
    const takenPs = Math.max(nowPs, this.freePs);
    this.freePs = takenPs + intervalPs;
    const answerPs = takenPs + delayPs;
    const last = this.batches.at(-1);
    const isSame = this.controller.placesTogether ? last?.askedPs === nowPs : last?.answerPs === answerPs;
    if (last !== undefined && isSame) {
      last.requests.push(request);
      if (answerPs === last.answerPs) return;
      last.answerPs = answerPs;
    } else this.batches.push({ askedPs: nowPs, answerPs, requests: [request], seen: 0 });
    this.gate!.wakeAt(answerPs, ++this.tokens);
  }

  private answer({ requests, askedPs }: Batch, nowPs: number): void {
    const { controller } = this;
    const together: Request[] = [];
    for (const request of requests) {
      const { flow, port, kind } = request;
      this.waits.push(nowPs - askedPs);
      if (kind === 'move') {
        const known = this.answered.get(flow.flow);
        if (known === flow && known.isWaiting) this.placeAnew(known);
      } else if (!controller.placesTogether)
        this.enter(
          request,
          kind === 'keep' ? controller.keepSourcePort(flow, port) : controller.assignSourcePort(flow, port),
        );
      else if (kind === 'keep' && controller.keepsSourcePort(flow, port)) this.enter(request, port);
      else if (controller.hasSay(flow, port)) together.push(request);
      else this.enter(request, port);
    }
    if (together.length === 0) return;
    const ports = controller.assignTogether(
      together.map(({ flow }) => flow),
      together.map(({ port }) => port),
    );
    for (const [i, request] of together.entries()) this.enter(request, ports[i]!);
  }

  private enter({ slot, pair, flow }: Request, port: number): void {
    this.remember(slot, flow, port);
    this.gate!.enter(slot, pair, port);
  }

  private placeAnew(flow: Answered): void {
    flow.isWaiting = false;
    const port = this.controller.placeAnew(flow, flow.port);
    if (port === flow.port) return;
    flow.port = port;
    this.moved++;
    this.gate!.move(flow.slot, flow.pair, port);
  }

  private remember(slot: number, flow: PlacedFlow, port: number): number {
    if (this.service.reassigns)
      this.answered.set(flow.flow, { ...flow, slot, pair: this.frontier.queuePair[slot]!, port, isWaiting: false });
    return port;
  }
}

/**
 * What the central controller knows a queue pair by until it is released: one of a connection by its own number, since
 * transfers come and go over it, any other by its slot.
 */
function holderOf({ queuePair }: Frontier, slot: number): number {
  const pair = queuePair[slot]!;
  return pair < 0 ? 2 * slot : 2 * pair + 1;
}

/** What a controller is told of a queue pair. */
function placedFlow(frontier: Frontier, slot: number, pinned: PinnedPaths | null): PlacedFlow {
  return {
    flow: holderOf(frontier, slot),
    source: frontier.source[slot]!,
    destination: frontier.destination[slot]!,
    sizeBytes: frontier.sizeBytes[slot]!,
    destinationPort,
    pinned,
  };
}

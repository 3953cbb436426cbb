// What queue pairs ask the central controller, and what it does with those under way when routes change: whoever is on
// another path than the one that it holds gives that up, and is placed anew, by another source port if need be.
// Invariants: what the controller holds for a queue pair under way is the path that it takes; a queue pair that is moved
// keeps all that it has sent. Source: central-controller document (docs/SOURCES.md), 9.1, whose controller keeps stale
// tables; moving is Weft's.

import type { CentralController, PlacedFlow } from '../controller/central-controller.js';
import type { ControllerFigures } from '../measurement/controller-figures.js';
import type { EqualCostRoutes } from '../routing/equal-cost.js';
import type { PathTracer } from '../routing/path.js';
import type { PinnedPaths } from '../routing/pinned-paths.js';
import { destinationPort } from './admission.js';
import type { Frontier } from './frontier.js';

/** How queue pairs that are under way get another source port. */
export interface Mover {
  /** @param pair the connection's queue pair, of which all transfers are moved; -1: the one in the slot */
  move(slot: number, pair: number, sourcePort: number): void;
}

/** A queue pair that the controller has answered; its slot may be another's by now if it is a connection's. */
interface Answered extends PlacedFlow {
  readonly slot: number;
  readonly pair: number;
  port: number;
}

export class ControllerRequests {
  private moved = 0;
  private mover: Mover | null = null;
  /** by what the controller knows a queue pair by; empty where none is ever moved */
  private readonly answered = new Map<number, Answered>();
  private routes: EqualCostRoutes;

  constructor(
    private readonly frontier: Frontier,
    private readonly tracer: PathTracer,
    private readonly controller: CentralController,
  ) {
    this.routes = tracer.routes;
  }

  get figures(): ControllerFigures {
    const { policy, assigned, unassigned } = this.controller;
    return { policy, assigned, unassigned, moved: this.mover === null ? null : this.moved };
  }

  /** Queue pairs are placed anew when routes change. @param mover who gives them other ports */
  moveBy(mover: Mover): void {
    this.mover = mover;
  }

  /** A queue pair wants a source port. @param port the one that it has if the controller has no say */
  assign(slot: number, pinned: PinnedPaths | null, port: number): number {
    const flow = placedFlow(this.frontier, slot, pinned);
    return this.remember(slot, flow, this.controller.assignSourcePort(flow, port));
  }

  /** The same of one that had a port before, which it keeps if it can. */
  keep(slot: number, pinned: PinnedPaths | null, port: number): number {
    const flow = placedFlow(this.frontier, slot, pinned);
    return this.remember(slot, flow, this.controller.keepSourcePort(flow, port));
  }

  release(slot: number): void {
    const holder = holderOf(this.frontier, slot);
    this.answered.delete(holder);
    this.controller.release(holder);
  }

  /** Links have changed: if routes have, too, whoever is on another path now is placed anew, in the order of answers. */
  linksChanged(): void {
    const { controller, tracer, mover } = this;
    if (mover === null || tracer.routes === this.routes) return;
    this.routes = tracer.routes;
    const others = [...this.answered.values()].filter((flow) => !controller.isWhereItHolds(flow, flow.port));
    for (const { flow } of others) controller.giveUpHops(flow);
    for (const flow of others) {
      const port = controller.placeAnew(flow, flow.port);
      if (port === flow.port) continue;
      flow.port = port;
      this.moved++;
      mover.move(flow.slot, flow.pair, port);
    }
  }

  private remember(slot: number, flow: PlacedFlow, port: number): number {
    if (this.mover !== null)
      this.answered.set(flow.flow, { ...flow, slot, pair: this.frontier.queuePair[slot]!, port });
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

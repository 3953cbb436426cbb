// The central controller of a plan: how it places flows, when it answers, and whose flows it does not see.

import { askingHosts } from '../controller/asking-hosts.js';
import { BackgroundLoad } from '../controller/background-load.js';
import { CentralController } from '../controller/central-controller.js';
import { FrontDoor } from '../execution/admission-door.js';
import {
  ControllerRequests,
  type ControllerService,
  type Gate,
  holdsBack,
  pollToken,
} from '../execution/controller-requests.js';
import type { Frontier } from '../execution/frontier.js';
import type { Network } from '../execution/network.js';
import { PortPolls } from '../execution/port-polls.js';
import type { PathTracer } from '../routing/path.js';
import type { Plan } from '../scenario/plan.js';

export interface PlannedController {
  readonly requests: ControllerRequests;
  /** null if it answers at once, and never does anything later */
  readonly door: FrontDoor | null;
  readonly movesFlows: boolean;
  /** it asks the network for the rates of ports */
  readonly countsPorts: boolean;
  /** Queue pairs are let in and moved by a gate; port counters are the network's. */
  connect(gate: Gate, network: Network): void;
}

/** The controller of a plan; null without one. @param linksChange whether links fail in the run */
export function planController(
  { controller: settings, fabric, seed }: Plan,
  tracer: PathTracer,
  frontier: Frontier,
  linksChange: boolean,
): PlannedController | null {
  if (!settings.enabled) return null;
  const { policy, delay, requestRate, share, pollInterval } = settings;
  // the source's policy knows nothing of loads
  const countsPorts = share < 1 && policy !== 'first-fit';
  const frontDoor = new FrontDoor(frontier);
  const background = countsPorts ? new BackgroundLoad(fabric, frontDoor, pollInterval) : null;
  const controller = new CentralController(tracer, policy, background);
  const service: ControllerService = {
    delayPs: delay,
    intervalPs: requestRate === 0 ? 0 : Math.round(1e12 / requestRate),
    reassigns: settings.reassign && linksChange,
    asks: share < 1 ? askingHosts(fabric, share, seed) : null,
  };
  const requests = new ControllerRequests(frontier, tracer, controller, service);
  const door = holdsBack(controller, service) || service.reassigns || countsPorts ? frontDoor : null;
  return {
    requests,
    door,
    movesFlows: service.reassigns,
    countsPorts,
    connect(gate, network) {
      requests.answerBy(gate);
      if (!countsPorts) return;
      const wakeAt = (timePs: number): void => gate.wakeAt(timePs, pollToken);
      requests.pollBy(new PortPolls(network, controller, fabric.portCount, pollInterval, wakeAt));
    },
  };
}

// The one composition of a run: routes, links that change, source ports, a network and an executor over a source of
// transfers. A plan is run with it (simulate.ts), and so are transfers by hand (validation/engine-run.ts).

import { CountedPorts, type MakeAdmission } from '../execution/admission.js';
import { FrontDoor } from '../execution/admission-door.js';
import { ControlledPorts } from '../execution/controlled-ports.js';
import { Executor, type ExecutorParts } from '../execution/executor.js';
import { type Failures, FailureSchedule, mostLinksWithFailures } from '../execution/failure-schedule.js';
import { Frontier } from '../execution/frontier.js';
import { GivenPorts, type PortsOfPairs } from '../execution/given-ports.js';
import { KeptPorts } from '../execution/kept-ports.js';
import type { Network } from '../execution/network.js';
import { PinnedPorts } from '../execution/pinned-ports.js';
import { PortsInTurn } from '../execution/ports-in-turn.js';
import type { PacketSettings } from '../backends/packet/settings.js';
import { LinkStates } from '../fabric/link-states.js';
import type { WorkSource } from '../flows/work-source.js';
import { CompletionTimes } from '../measurement/completion.js';
import type { EqualCostRoutes } from '../routing/equal-cost.js';
import { mostQueuePairs, nicPortsOf } from '../routing/nic-ports.js';
import { PathTracer } from '../routing/path.js';
import { isTied, type Pin, pinnedPaths } from '../routing/pinned-paths.js';
import type { PlannedController } from './plan-controller.js';

/** What a network is made with. */
interface NetworkWiring {
  readonly tracer: PathTracer;
  /** null: links stay as they are */
  readonly links: LinkStates | null;
  readonly pathsMayChange: boolean;
  /** somebody asks for the rates of ports */
  readonly countsPorts: boolean;
}

/** What a run is composed of. */
export interface RunParts<
  Made extends { readonly network: Network },
  Work extends { readonly source: WorkSource },
> extends Pick<ExecutorParts, 'sink' | 'linkLoads' | 'sendLatencyPs' | 'stopPs' | 'queuePairsPerConnection'> {
  readonly routes: EqualCostRoutes;
  readonly packet: Pick<PacketSettings, 'queuePair' | 'packet'>;
  /** null: nothing happens to links */
  readonly failures: Failures | null;
  /** whether flows go over the ports of NICs in turn, as the settings of queue pairs say */
  readonly looksAtNics: boolean;
  readonly controller: (tracer: PathTracer, frontier: Frontier, linksChange: boolean) => PlannedController | null;
  /** instead of the controller and pins; left out: none */
  readonly admission?: MakeAdmission | undefined;
  /** by pair of hosts; null: a counter per pair gives them */
  readonly sourcePorts: PortsOfPairs | null;
  readonly pins: readonly Pin[];
  readonly makeNetwork: (wiring: NetworkWiring) => Made;
  readonly makeWork: (tracer: PathTracer) => Work;
}

/** Puts a run together; nothing happens yet. */
export function composeRun<Made extends { readonly network: Network }, Work extends { readonly source: WorkSource }>(
  parts: RunParts<Made, Work>,
) {
  const { routes, packet, pins, admission: given } = parts;
  const { fabric } = routes;
  const links = parts.failures === null ? null : new LinkStates(fabric);
  const { longestPath } = routes;
  const tracer = new PathTracer(routes, links === null ? longestPath : mostLinksWithFailures(longestPath));
  const frontier = new Frontier();
  const controller = given === undefined ? parts.controller(tracer, frontier, links !== null) : null;
  const door = given === undefined ? (controller?.door ?? null) : new FrontDoor(frontier);
  const policy = given === undefined ? null : given({ frontier, tracer, fabric, door: door! });
  const made = parts.makeNetwork({
    tracer,
    links,
    pathsMayChange: links !== null || policy?.movesFlows === true,
    countsPorts: controller?.countsPorts === true,
  });
  const { network } = made;
  const failures = links === null ? null : new FailureSchedule(parts.failures!, links, tracer, network);
  const counted = new CountedPorts(frontier, fabric.nodeCount);
  const nics = parts.looksAtNics ? nicPortsOf(tracer, packet.queuePair) : null;
  const turned =
    nics === null || packet.queuePair.portChoice === 'hash'
      ? counted
      : new PortsInTurn(frontier, tracer, nics, counted);
  const uncontrolled =
    parts.sourcePorts === null ? turned : new GivenPorts(frontier, fabric.nodeCount, parts.sourcePorts, turned);
  const requests = controller?.requests ?? null;
  const others = requests === null ? uncontrolled : new ControlledPorts(requests, uncontrolled);
  const pinned =
    policy !== null || !pins.some(isTied)
      ? null
      : new PinnedPorts({ frontier, tracer, pins: pinnedPaths(fabric, pins), counted, requests, others });
  const kept = new KeptPorts(frontier, pinned ?? others, controller?.door ?? null, controller?.movesFlows === true);
  controller?.connect(kept, network);
  const completions = new CompletionTimes();
  const work = parts.makeWork(tracer);
  const executor = new Executor({
    ...parts,
    tracer,
    failures,
    source: work.source,
    network,
    frontier,
    admission: policy ?? kept,
    door,
    completions,
    queuePairsPerFlow: mostQueuePairs(nics, packet.queuePair),
    payloadBytes: packet.packet.payload,
    overheadBytes: packet.packet.header + packet.packet.gap,
  });
  return { ...made, ...work, tracer, frontier, executor, failures, requests, pinned, completions };
}

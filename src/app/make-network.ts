// The network of a plan, by its backend. All are driven through the same contract (execution/network.ts); only the
// packet backend has probes.

import { AnalyticalNetwork } from '../backends/analytical/analytical-network.js';
import { analyticalSettings } from '../backends/analytical/settings.js';
import { FluidNetwork } from '../backends/fluid/fluid-network.js';
import { fluidSettings } from '../backends/fluid/settings.js';
import { EventWheel } from '../engine/event-wheel.js';
import { makePacketNetwork } from '../backends/packet/make-packet-network.js';
import type { Unmarked } from '../backends/packet/packet-network.js';
import type { ProbeSummary } from '../backends/packet/probes/probes.js';
import type { PacketSettings } from '../backends/packet/settings.js';
import { valuesOfGroup } from '../base/settings.js';
import type { NetworkTimes } from '../collectives/stream-lead.js';
import { wantsStreams } from '../collectives/streams.js';
import { ClosedFormCosts } from '../collectives/closed-form.js';
import type { Network } from '../execution/network.js';
import type { LinkStates } from '../fabric/link-states.js';
import type { RecordSink } from '../records/schema.js';
import type { PacketShape } from '../routing/lone-transfer.js';
import type { PathTracer } from '../routing/path.js';
import type { Plan } from '../scenario/plan.js';

/**
 * A network; what its probes came to, null without probes; why no packet was marked, null where that is no
 * question.
 */
export interface MadeNetwork {
  readonly network: Network;
  readonly probeSummary: () => ProbeSummary | null;
  readonly unmarked: () => Unmarked | null;
}

const withoutPackets = { probeSummary: () => null, unmarked: () => null };

/** What backends without packets take from the settings of packets: what stands on a link. */
export function packetShape({ packet }: PacketSettings): PacketShape {
  return {
    payloadBytes: packet.payload,
    overheadBytes: packet.header + packet.gap,
    acknowledgementBytes: packet.acknowledgement + packet.gap,
  };
}

/** Given to jobs whose collectives are streams (collectives/streams.ts); null: they keep their steps. */
export function streamTimes(
  { backend, jobs, packet, sendLatencyPs, settings }: Plan,
  tracer: PathTracer,
): NetworkTimes | null {
  const ranks = jobs.reduce((sum, job) => sum + job.ranks.length, 0);
  return backend === 'fluid' && wantsStreams(valuesOfGroup(settings, 'fluid', fluidSettings).streams, ranks)
    ? { tracer, ...packetShape(packet), sendLatencyPs }
    : null;
}

/**
 * Makes the network of a plan.
 * @param links given if links change during the run @param pathsMayChange whether flows may be moved @param wheelWidthPs bucket width of the packet backend's event
 * wheel
 */
export function makeNetwork(
  plan: Plan,
  tracer: PathTracer,
  links: LinkStates | undefined,
  pathsMayChange: boolean,
  sink: RecordSink,
  wheelWidthPs: number | undefined,
): MadeNetwork {
  const { fabric, packet: settings, seed } = plan;
  if (plan.backend === 'fluid')
    return { network: new FluidNetwork(fabric, tracer, packetShape(settings), links), ...withoutPackets };
  if (plan.backend === 'analytical')
    return { network: new AnalyticalNetwork(fabric, tracer, packetShape(settings)), ...withoutPackets };
  const wheel = wheelWidthPs === undefined ? new EventWheel() : new EventWheel(wheelWidthPs);
  const network = makePacketNetwork({
    fabric,
    tracer,
    settings,
    seed,
    pathsMayChange,
    wheel,
    sink,
    ...(links === undefined ? {} : { links }),
  });
  return { network, probeSummary: () => network.probeSummary(), unmarked: () => network.unmarked() };
}

/** How long collectives and messages of jobs take where they are not sent: on the analytical backend. */
export function collectiveCosts(
  { backend, packet, sendLatencyPs, settings }: Plan,
  tracer: PathTracer,
): ClosedFormCosts | null {
  return backend === 'analytical'
    ? new ClosedFormCosts(tracer, {
        ...packetShape(packet),
        sendLatencyPs,
        model: valuesOfGroup(settings, 'analytical', analyticalSettings).collectives,
      })
    : null;
}

// What a plan's backend is asked for: its network, and how collectives come about on it.

import type { FastForwardMode, MadeNetwork, NetworkParts } from '../backends/backend.js';
import type { PacketSettings } from '../backends/packet/settings.js';
import type { NetworkTimes } from '../collectives/stream-lead.js';
import { type StreamedCollectives, streamedCollectives } from '../collectives/streams.js';
import { ClosedFormCosts } from '../collectives/closed-form.js';
import { stepTransfers } from '../jobs/job-amount.js';
import type { PacketShape } from '../routing/lone-transfer.js';
import { nicPortsOf } from '../routing/nic-ports.js';
import type { PathTracer } from '../routing/path.js';
import type { Plan } from '../scenario/plan.js';

/** Bytes of packets on a link, whether a backend has packets or only reckons with them. */
export function packetShape({ packet }: PacketSettings): PacketShape {
  return {
    payloadBytes: packet.payload,
    overheadBytes: packet.header + packet.gap,
    acknowledgementBytes: packet.acknowledgement + packet.gap,
  };
}

/** Which collectives of a plan's jobs are sent as streams; null: none are on its backend. */
export function streamedOf(plan: Plan): StreamedCollectives | null {
  const {
    backend: { collectives },
    jobs,
    settings,
  } = plan;
  if (collectives.kind !== 'simulated' || collectives.streams === undefined) return null;
  const ranks = jobs.reduce((sum, job) => sum + job.ranks.length, 0);
  return streamedCollectives(collectives.streams(settings), ranks, () => stepTransfersOf(plan));
}

/** Transfers of a plan's jobs, whose collectives are carried out step by step. */
export function stepTransfersOf({ jobs, fabric, collectives }: Plan): number {
  return jobs.reduce((sum, job) => sum + stepTransfers(job, fabric, collectives), 0);
}

/** Given to jobs whose collectives are streams (collectives/streams.ts); null: they keep their steps. */
export function streamTimes(plan: Plan, tracer: PathTracer): NetworkTimes | null {
  const { packet, sendLatencyPs } = plan;
  const streamed = streamedOf(plan);
  if (streamed === null || streamed === 'none') return null;
  const nics = nicPortsOf(tracer, packet.queuePair);
  return { tracer, ...packetShape(packet), sendLatencyPs, nics, isSelective: streamed === 'selected' };
}

/** How phases of a plan's jobs are replayed where they repeat (jobs/fast-forward); null: all are sent. */
export function fastForwardMode({
  backend: { collectives },
  settings,
}: Pick<Plan, 'backend' | 'settings'>): FastForwardMode | null {
  return collectives.kind === 'simulated' ? (collectives.fastForward?.(settings) ?? null) : null;
}

/** Makes the network of a plan from what the run brings: its routes, links and sink. */
export function makeNetwork(
  { backend, fabric, lanes, pins, packet, paces, seed, settings }: Plan,
  run: Pick<NetworkParts, 'tracer' | 'links' | 'pathsMayChange' | 'countsPorts' | 'describe' | 'sink' | 'wheelWidthPs'>,
): MadeNetwork {
  return backend.make({
    fabric,
    seed,
    settings,
    packet,
    paces,
    lanes: pins.some(({ serviceLevel }) => serviceLevel >= 0)
      ? { ...lanes, levelOfClass: Int8Array.of(-1, ...pins.map(({ serviceLevel }) => serviceLevel)) }
      : lanes,
    shape: packetShape(packet),
    ...run,
  });
}

/** How long collectives and messages of jobs take on a backend where they are not sent; null: they are. */
export function collectiveCosts(
  { backend: { collectives }, packet, sendLatencyPs, settings }: Plan,
  tracer: PathTracer,
): ClosedFormCosts | null {
  return collectives.kind === 'closed-form'
    ? new ClosedFormCosts(tracer, {
        ...packetShape(packet),
        sendLatencyPs,
        model: collectives.model(settings),
        nics: nicPortsOf(tracer, packet.queuePair),
      })
    : null;
}

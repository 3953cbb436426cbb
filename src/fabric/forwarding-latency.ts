// The time that switches and NVSwitches take for a packet, from its last bit at their ingress until it can be queued at
// its output (or be received, where an NVSwitch is the end of its way). It is the same for every packet, so a packet's
// arrival at a switch can be counted that much later, and nothing else has to know.
// Not modelled: cut-through, a pipeline that is longer for some packets.

import { type Fabric, NodeKind } from './fabric.js';

/** Latencies of the two kinds of devices that forward, in picoseconds. */
export interface ForwardingLatency {
  readonly latency: number;
  readonly nvswitchLatency: number;
}

/** What a kind of node takes, in picoseconds; hosts do not forward. */
export function forwardingLatencyPs(kind: number, { latency, nvswitchLatency }: ForwardingLatency): number {
  return kind === NodeKind.switch ? latency : kind === NodeKind.nvswitch ? nvswitchLatency : 0;
}

/** The same fabric with these latencies of its devices. */
export function withForwardingLatency(fabric: Fabric, latency: ForwardingLatency): Fabric {
  if (hasForwardingLatency(fabric, latency)) return fabric;
  return { ...fabric, nodeLatencyPs: Float64Array.from(fabric.nodeKind, (kind) => forwardingLatencyPs(kind, latency)) };
}

/** True if a fabric's devices have these latencies. */
export function hasForwardingLatency(fabric: Fabric, latency: ForwardingLatency): boolean {
  return fabric.nodeLatencyPs.every(
    (latencyPs, node) => latencyPs === forwardingLatencyPs(fabric.nodeKind[node]!, latency),
  );
}

/**
 * From the end of a packet's transmission at a port until the other end can do something with it: the cable, and the
 * device there.
 */
export function portLatencyPs(fabric: Fabric, port: number): number {
  return (
    fabric.linkLatencyPs[fabric.portLink[port]!]! + fabric.nodeLatencyPs[fabric.portNode[fabric.portPeer[port]!]!]!
  );
}

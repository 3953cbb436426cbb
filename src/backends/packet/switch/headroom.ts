// Headroom: the buffer that a switch sets apart for each ingress port, for what still arrives after it has decided to
// pause its upstream. Two rules: `cable` covers every byte that can arrive, so that nothing is dropped; `delays` is
// SimAI's, which is too small on short cables.
// Invariant: with `cable`, no timers and pauses that are not lost, an ingress queue never needs more.
// Source: IEEE 802.1Qbb-2011 (802.1Q-2018), annex "Buffer requirements for priority-based flow control": two cable
// delays, the longest frame at each end, the pause frame and the response time of the peer. `delays`: SimAI
// (docs/models/simai.md#switches). Not modelled: cells.

import { valuesOfGroup } from '../../../base/settings.js';
import type { Fabric } from '../../../fabric/fabric.js';
import { forwardingLatencyPs } from '../../../fabric/forwarding-latency.js';
import { portSpeed } from '../../../fabric/receive-speed.js';
import { type SfcSettings, sfcSettings } from '../flow-control/sfc/sfc-settings.js';
import type { PacketSettings } from '../settings.js';

/** Bytes of the longest packet: data, an acknowledgement, a CNP, or a message of source flow control. */
export function longestPacketBytes(settings: PacketSettings): number {
  const { packet, queuePair, transport } = settings;
  return Math.max(
    sourceFlowControl(settings)?.message ?? 0,
    packet.payload + packet.header,
    packet.acknowledgement,
    queuePair.notificationDelay > 0 && transport.algorithm !== 'uec' ? packet.notification : 0,
  );
}

/** The settings of source flow control; null where it is not at work. */
function sourceFlowControl({ flowControl, own }: PacketSettings): SfcSettings | null {
  return flowControl.includes('sfc') ? valuesOfGroup(own, 'sfc', sfcSettings) : null;
}

/** Whether switches pause their upstream with PFC; else their queues are lossy. */
export function isLossless({ pfc, flowControl }: PacketSettings): boolean {
  return pfc.enabled && flowControl.includes('pfc');
}

/**
 * How many of the priorities that can be paused a run uses: one, or two if acknowledgements have their own. Those of
 * the transport uec go in queue 0.
 */
export function pausablePriorities({ queuePair, transport }: PacketSettings): number {
  if (transport.algorithm === 'uec') return 1;
  return queuePair.acknowledgementPriority === 0 || queuePair.acknowledgementPriority === queuePair.priority ? 1 : 2;
}

/** Bytes of headroom of each ingress queue of a switch's port; 0 with PFC off. */
export function headroomBytes(fabric: Fabric, port: number, settings: PacketSettings): number {
  const { pfc } = settings;
  if (!isLossless(settings)) return 0;
  const link = fabric.portLink[port]!;
  const rateBps = fabric.linkRateBps[link]!;
  const latencyPs = fabric.linkLatencyPs[link]!;
  return pfc.headroom === 'delays'
    ? Math.floor((rateBps * latencyPs * pfc.headroomDelays) / 8e12)
    : cableHeadroomBytes(
        settings,
        rateBps,
        latencyPs,
        forwardingLatencyPs(fabric.nodeKind[fabric.portNode[port]!]!, settings.switch),
        portSpeed(fabric, port),
      );
}

/**
 * What can arrive between the packet that makes a queue pause its upstream and the last one before the pause holds:
 * that packet itself; what the upstream sends while the pause frame waits for a packet on the wire and for the frames
 * of other priorities, crosses the cable and is answered, and what is on the cable and in the switch itself by then;
 * and the packet that it has just begun.
 * @param speed share of its rate at which the link takes the pause frame and what it waits for: less than 1 to a host
 * that receives slowly
 */
export function cableHeadroomBytes(
  settings: PacketSettings,
  rateBps: number,
  latencyPs: number,
  forwardingPs: number,
  speed: number,
): number {
  const { packet, pfc } = settings;
  const longest = longestPacketBytes(settings);
  // those of proxies of source flow control go before, too
  const kinds = sourceFlowControl(settings)?.reaction === 'proxy' ? 2 : 1;
  const framesBytes = kinds * pausablePriorities(settings) * (packet.pauseFrame + packet.gap);
  return (
    Math.ceil(
      (rateBps * (2 * latencyPs + pfc.responseTime + forwardingPs)) / 8e12 +
        (framesBytes + packet.gap + longest) / speed,
    ) +
    2 * longest
  );
}

/**
 * Bytes of a switch's buffer that are set apart for one port: its headroom and its reserve, for each priority that can
 * be paused; 0 with PFC off.
 */
export function setApartBytes(fabric: Fabric, port: number, settings: PacketSettings): number {
  if (!isLossless(settings)) return 0;
  return pausablePriorities(settings) * (headroomBytes(fabric, port, settings) + settings.pfc.reserve);
}

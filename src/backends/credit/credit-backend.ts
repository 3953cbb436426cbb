// The credit backend as others see it.

import { valuesOfGroup } from '../../base/settings.js';
import { EventWheel } from '../../engine/event-wheel.js';
import type { Backend } from '../backend.js';
import { samplerFor } from '../../sampling/packet-sampler.js';
import { withPolls, withSamples } from '../packet/probes/probe-summary.js';
import { PortPoller } from '../polling/port-poller.js';
import { CreditNetwork } from './credit-network.js';
import { creditDeclaration } from './declaration.js';
import { assignedLanes } from './lane-assignment.js';
import { laneBufferBytes } from './link-buffers.js';
import { PortTallies } from './port-tallies.js';
import { creditSettings } from './settings.js';

export const creditBackend: Backend = {
  ...creditDeclaration,
  insteadOfPackets: 'packets that wait for credits; no losses, marks or pause frames',
  collectives: { kind: 'simulated' },
  counters: [
    'events',
    'payloadBytesDelivered',
    'dataPacketsSent',
    'dataPacketsDelivered',
    'packetHops',
    'creditStalls',
    'packetsOutOfOrder',
    'packetLatencyTotalPs',
    'packetLatencyLargestPs',
    'peakPacketsInFlight',
  ],
  acknowledges: false,
  // a packet-hop is 1.3 to 2 events; until some 300,000 of them the code is not compiled
  secondsOf: ({ packetHops }) => 0.11 + packetHops * 300e-9 + (0.25 * packetHops) / (packetHops + 300_000),
  make: ({
    fabric,
    tracer,
    links,
    shape,
    packet,
    settings,
    seed,
    wheelWidthPs,
    paces,
    pathsMayChange,
    countsPorts,
    lanes: listed,
    describe,
    sink,
  }) => {
    const own = valuesOfGroup(settings, 'credit', creditSettings);
    const wheel = wheelWidthPs === null ? new EventWheel() : new EventWheel(wheelWidthPs);
    const sampler = samplerFor({
      fabric,
      records: wheel.records,
      settings: packet.sampling,
      seed,
      routes: () => tracer.routes,
      describe,
      sink,
    });
    const round = {
      fullBytes: shape.payloadBytes + shape.overheadBytes,
      headerBytes: packet.packet.header,
      cutsThrough: own.switching === 'cut-through',
      acceptsAtOutput: own.acceptance !== 'input-buffer',
      sharesBuffer: own.acceptance === 'output-buffer',
      returnLatencyPs: own.returnLatency,
    };
    const queues = own.laneQueues === 'shared' ? 1 : own.lanes;
    const { polling } = packet;
    const tallies = polling.interval === 0 ? null : new PortTallies(fabric, own.lanes, queues, packet.packet.gap);
    const poller = tallies === null ? null : new PortPoller({ fabric, settings: polling, ports: tallies, sink });
    const network = new CreditNetwork({
      fabric,
      tracer,
      links,
      shape,
      paces,
      adaptive: packet.balancing === 'adaptive' ? { rule: own.adaptiveRule, seed } : null,
      pathsMayChange,
      countsPorts,
      lanes: assignedLanes(own, seed, listed),
      areLanesShared: own.laneQueues === 'shared',
      wheel,
      sampler,
      polling: tallies === null || poller === null ? null : { tallies, poller },
      rules: {
        lanes: queues,
        bufferBytes: laneBufferBytes(fabric, round, own.buffer),
        ...round,
      },
    });
    return { network, probeSummary: () => withPolls(withSamples(null, sampler), poller) };
  },
};

// The credit backend as others see it.

import { valuesOfGroup } from '../../base/settings.js';
import { EventWheel } from '../../engine/event-wheel.js';
import type { Backend } from '../backend.js';
import { CreditNetwork } from './credit-network.js';
import { creditDeclaration } from './declaration.js';
import { Lanes } from './lanes.js';
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
  make: ({ fabric, tracer, links, shape, packet, settings, seed, wheelWidthPs, paces, pathsMayChange }) => {
    const own = valuesOfGroup(settings, 'credit', creditSettings);
    const network = new CreditNetwork({
      fabric,
      tracer,
      links,
      shape,
      paces,
      lanes: new Lanes(own.lanes, seed),
      adaptive: packet.balancing === 'adaptive' ? { rule: own.adaptiveRule, seed } : null,
      pathsMayChange,
      wheel: wheelWidthPs === null ? new EventWheel() : new EventWheel(wheelWidthPs),
      rules: {
        lanes: own.lanes,
        bufferBytes: own.buffer,
        returnLatencyPs: own.returnLatency,
        cutsThrough: own.switching === 'cut-through',
        acceptsAtOutput: own.acceptance === 'output-queue',
        headerBytes: packet.packet.header,
        fullBytes: shape.payloadBytes + shape.overheadBytes,
      },
    });
    return { network };
  },
};

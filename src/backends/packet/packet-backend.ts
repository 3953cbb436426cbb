// The packet backend as others see it.

import type { Backend } from '../backend.js';
import { EventWheel } from '../../engine/event-wheel.js';
import { makePacketNetwork } from './make-packet-network.js';
import { packetCounterNames } from './packet-counters.js';
import { probeTables } from './probes/probes.js';
import { packetSettings, type PacketSettings } from './settings.js';

export const packetBackend: Backend<PacketSettings> = {
  name: 'packet',
  description: 'every packet',
  title: 'every packet',
  insteadOfPackets: null,
  collectives: { kind: 'simulated' },
  withoutFailures: null,
  settings: packetSettings,
  groupDescriptions: {
    packet: "Packet sizes: a profile, and single sizes that replace the profile's",
    queuePair: 'How a NIC sends: priorities, window and pacing',
    congestion: 'Congestion control',
    dcqcn: 'Parameters of DCQCN',
    dctcp: 'Parameters of DCTCP',
    timely: 'Parameters of TIMELY',
    hpcc: 'Parameters of HPCC, also over PINT',
    pint: 'What HPCC over PINT carries in packets',
    ecn: 'Marking of packets in switches',
    pfc: 'Priority flow control of switches',
    switch: 'Switch hardware',
    probes: 'What is recorded beside flows and paths; everything is off unless it is asked for',
  },
  foreign: [
    {
      settings: ['congestion.algorithm', 'dcqcn.*', 'dctcp.*', 'timely.*', 'hpcc.*', 'pint.*'],
      elsewhere: 'has no congestion control: a flow has its rate from the start',
    },
    { settings: ['ecn.enabled', 'ecn.thresholds'], elsewhere: 'has no queues in which packets could be marked' },
    { settings: ['pfc.*'], elsewhere: 'has no queues that could be paused' },
    { settings: ['switch.buffer'], elsewhere: 'has no queues, so no buffer fills' },
    {
      // how many queue pairs a flow has is not the packets' affair
      settings: Object.keys(packetSettings.queuePair)
        .filter((name) => name !== 'perFlow')
        .map((name) => `queuePair.${name}`),
      elsewhere: 'has no packets that a NIC could order, hold back or repeat',
    },
    { settings: ['packet.notification', 'packet.pauseFrame'], elsewhere: 'has no such packets' },
    {
      settings: ['fabric.errorRate', 'failures.events[].errorRate'],
      elsewhere: 'has no packets that could be lost',
    },
    { settings: ['probes.*'], elsewhere: 'has no packets or queues for probes to record' },
  ],
  counters: packetCounterNames,
  tables: ({ probes }) => probeTables(probes),
  make: ({ fabric, tracer, links, pathsMayChange, seed, sink, wheelWidthPs }, settings) => {
    const network = makePacketNetwork({
      fabric,
      tracer,
      settings,
      seed,
      sink,
      pathsMayChange,
      wheel: wheelWidthPs === null ? new EventWheel() : new EventWheel(wheelWidthPs),
      ...(links === null ? {} : { links }),
    });
    return { network, probeSummary: () => network.probeSummary() };
  },
};

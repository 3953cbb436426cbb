// The packet backend as others see it, with Weft's own mechanisms or those of another catalogue.

import { valuesOfGroup } from '../../base/settings.js';
import { EventWheel } from '../../engine/event-wheel.js';
import type { Backend } from '../backend.js';
import { packetDeclarationWith } from './declaration.js';
import { makePacketNetwork } from './packet-network.js';
import { type Mechanisms, mechanisms } from './mechanisms.js';
import { packetCounterNames } from './packet-counters.js';
import { packetSettings } from './settings.js';

/** Transfers by which a long phase measures the rate at which it leaps: some dozens of waves. */
const leapTransfers = 6144;

/** The packet backend whose scenarios choose among the mechanisms of a catalogue, and whose runs have them. */
export function packetBackendWith(catalogue: Mechanisms): Backend {
  return {
    ...packetDeclarationWith(catalogue),
    insteadOfPackets: null,
    collectives: {
      kind: 'simulated',
      fastForward: (settings) => {
        const { enabled, tolerance, sampleEvery, leaps } = valuesOfGroup(
          settings,
          'fastForward',
          packetSettings.fastForward,
        );
        return enabled ? { tolerancePs: tolerance, sampleEvery, leapTransfers: leaps ? leapTransfers : 0 } : null;
      },
    },
    counters: packetCounterNames,
    // a packet-hop is 1.2 to 1.8 events; until some 300,000 of them the code is not compiled
    secondsOf: ({ packetHops }) => 0.11 + packetHops * 220e-9 + (0.25 * packetHops) / (packetHops + 300_000),
    make: (parts) => {
      const { packet: settings, wheelWidthPs } = parts;
      const wheel = wheelWidthPs === null ? new EventWheel() : new EventWheel(wheelWidthPs);
      const network = makePacketNetwork({ ...parts, settings, catalogue, wheel });
      return {
        network,
        probeSummary: () => network.probeSummary(),
        unmarked: () => network.unmarked(),
        hostPauses: () => network.pausesOfHosts(),
        watchdog: () => network.watchdogFigures(),
      };
    },
  };
}

export const packetBackend = packetBackendWith(mechanisms);

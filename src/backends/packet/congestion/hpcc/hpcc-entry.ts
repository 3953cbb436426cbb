// HPCC in the catalogue.

import { rateText } from '../../../../base/quantity-text.js';
import { type CongestionMechanism, needed, ownSettings } from '../../mechanism.js';
import type { CongestionControl } from '../../plug-ins.js';
import { stamps, Telemetry } from '../../telemetry.js';
import { Hpcc } from './hpcc.js';
import { hpccSettings } from './hpcc-settings.js';

/** HPCC's entry. */
export const hpcc = {
  description: 'windows by telemetry of every switch on the way',
  sets: 'rate',
  wantsWindow: true,
  settings: { hpcc: hpccSettings },
  groupTexts: { hpcc: 'Parameters of HPCC, also over PINT' },
  noEffect: [
    {
      settings: ['hpcc.expectedFlows'],
      causes: ['hpcc.additiveIncrease', 'packet.profile'],
      when: ({ settings }) => ownSettings(settings, 'hpcc', hpccSettings).additiveIncrease !== 'auto',
      because: ({ settings }) =>
        `hpcc.additiveIncrease is ${rateText(Number(ownSettings(settings, 'hpcc', hpccSettings).additiveIncrease))}`,
    },
  ],
  effects: {
    'hpcc.targetUtilisation': { values: ['0.95', '0.5'], rises: 'meanCompletion' },
    'hpcc.maxStage': { values: ['0', '5'], rises: 'meanCompletion' },
    'hpcc.additiveIncrease': { values: ['50Mbps', '1Gbps'], falls: 'meanCompletion' },
    'hpcc.expectedFlows': { values: ['8', '1'], falls: 'meanCompletion' },
    'hpcc.minimumRate': { values: ['100Mbps', '30Gbps'], falls: 'meanCompletion' },
    'hpcc.multiRate': { scenario: 'twoBottlenecks', values: ['false', 'true'], rises: 'meanCompletion' },
    // who reacts once per round trip has more packets in the network at the peak
    'hpcc.fastReact': { values: ['true', 'false'], rises: 'inFlight' },
  },
  telemetry: stamps,
  make: (parts): CongestionControl =>
    new Hpcc(
      { ...parts, telemetry: needed(parts.telemetry, Telemetry) },
      ownSettings(parts.settings, 'hpcc', hpccSettings),
    ),
} as const satisfies CongestionMechanism;

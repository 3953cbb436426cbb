// HPCC over PINT in the catalogue.

import { fraction, type SettingGroup } from '../../../../base/settings.js';
import { type CongestionMechanism, needed, ownSettings } from '../../mechanism.js';
import type { CongestionControl, PacketTelemetry } from '../../plug-ins.js';
import { CompressedTelemetry } from './compressed-telemetry.js';
import { HpccPint } from './hpcc-pint.js';
import { hpccSettings } from './hpcc-settings.js';

const pintSettings = {
  logBase: fraction(1.05, 'ratio of neighbouring codes of the utilisation that packets carry', {
    minimum: 1.0001,
    maximum: 16,
  }),
  probability: fraction(1, 'share of the acknowledgements that bring it back'),
} as const satisfies SettingGroup;

/** The entry of HPCC over PINT. */
export const hpccPint = {
  description: 'HPCC by the largest utilisation of the way, in two bytes',
  sets: 'rate',
  wantsWindow: true,
  settings: { hpcc: hpccSettings, pint: pintSettings },
  groupTexts: { pint: 'What HPCC over PINT carries in packets' },
  noEffect: [
    {
      settings: ['hpcc.multiRate'],
      causes: ['congestion.algorithm'],
      when: ({ settings }) => settings.congestion.algorithm === 'hpcc-pint',
      because: 'with HPCC over PINT packets carry one figure for the whole path',
    },
  ],
  effects: {
    'pint.logBase': { values: ['1.05', '1.5'], differs: 'rounding to a coarse code goes either way' },
    'pint.probability': { values: ['1', '0.05'], rises: 'inFlight' },
  },
  telemetry: ({ records, ports, settings, largestRttPs }): PacketTelemetry =>
    new CompressedTelemetry(records, ports, ownSettings(settings, 'pint', pintSettings).logBase, largestRttPs()),
  make: (parts): CongestionControl =>
    new HpccPint(
      { ...parts, telemetry: needed(parts.telemetry, CompressedTelemetry) },
      {
        ...ownSettings(parts.settings, 'hpcc', hpccSettings),
        probability: ownSettings(parts.settings, 'pint', pintSettings).probability,
      },
    ),
} as const satisfies CongestionMechanism;

// DCTCP in the catalogue.

import { type CongestionMechanism, ownSettings } from '../../mechanism.js';
import type { CongestionControl } from '../../plug-ins.js';
import { Dctcp, dctcpSettings } from './dctcp.js';

/** DCTCP's entry. */
export const dctcp = {
  description: 'rates by the share of marked packets',
  sets: 'rate',
  readsMarks: true,
  settings: { dctcp: dctcpSettings },
  groupTexts: { dctcp: 'Parameters of DCTCP' },
  effects: {
    // alpha begins at 1 and follows the share of marks, so that later cuts are smaller
    'dctcp.gain': { values: ['0.00390625', '0.5'], falls: 'meanCompletion' },
    'dctcp.additiveIncrease': { values: ['1000Mbps', '5Gbps'], falls: 'meanCompletion' },
    'dctcp.minimumRate': { values: ['100Mbps', '60Gbps'], falls: 'meanCompletion' },
  },
  make: (parts): CongestionControl => new Dctcp(parts, ownSettings(parts.settings, 'dctcp', dctcpSettings)),
} as const satisfies CongestionMechanism;

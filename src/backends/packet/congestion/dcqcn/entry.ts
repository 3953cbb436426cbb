// DCQCN in the catalogue.

import { type CongestionMechanism, ownSettings, type SettingEffect } from '../../mechanism.js';
import type { CongestionControl } from '../../plug-ins.js';
import { Dcqcn, dcqcnSettings } from './dcqcn.js';

/** Quick increases, so that a run has several losses of rate. */
const quick = 'dcqcn.increaseInterval=50us';
/** One notification in 50 us: between two of them alpha fades. */
const sparse = [quick, 'queuePair.notificationInterval=50us'];
const slowAtFirst = [quick, 'dcqcn.firstMarkRate=0.25'];

const effects: Readonly<Record<string, SettingEffect>> = {
  'dcqcn.gain': { given: sparse, values: ['0.00390625', '0.5'], falls: 'meanCompletion' },
  'dcqcn.alphaInterval': { given: [...sparse, 'dcqcn.gain=0.5'], values: ['1us', '10us'], rises: 'meanCompletion' },
  'dcqcn.decreaseInterval': { given: [quick], values: ['4us', '20us'], falls: 'meanCompletion' },
  'dcqcn.increaseInterval': { values: ['50us', '100us'], rises: 'meanCompletion' },
  'dcqcn.fastRecoveryRounds': { given: slowAtFirst, values: ['1', '5'], rises: 'meanCompletion' },
  'dcqcn.additiveIncrease': { given: slowAtFirst, values: ['50Mbps', '5Gbps'], falls: 'meanCompletion' },
  'dcqcn.hyperIncrease': { given: slowAtFirst, values: ['100Mbps', '5Gbps'], falls: 'meanCompletion' },
  'dcqcn.minimumRate': { given: [quick], values: ['100Mbps', '20Gbps'], falls: 'meanCompletion' },
  'dcqcn.firstMarkRate': { given: [quick], values: ['1', '0.5'], rises: 'meanCompletion' },
  'dcqcn.clampTargetRate': { given: [quick], values: ['false', 'true'], rises: 'meanCompletion' },
};

/** DCQCN's entry. */
export const dcqcn = {
  description: 'rates by ECN marks, as RoCEv2 NICs have it',
  sets: 'rate',
  readsMarks: true,
  settings: { dcqcn: dcqcnSettings },
  groupTexts: { dcqcn: 'Parameters of DCQCN' },
  noEffect: [
    {
      settings: ['dcqcn.alphaInterval'],
      causes: ['dcqcn.gain'],
      when: ({ settings }) => ownSettings(settings, 'dcqcn', dcqcnSettings).gain === 0,
      because: 'dcqcn.gain is 0, and alpha stays 1',
    },
  ],
  effects,
  make: (parts): CongestionControl => new Dcqcn(parts, ownSettings(parts.settings, 'dcqcn', dcqcnSettings)),
} as const satisfies CongestionMechanism;

// When a setting of OmniDMA or of its RNIC's DMA cannot change what a run does, and runs in which it does.

import type { NoEffectRule, Situation } from '../../../backend-declaration.js';
import type { SettingEffects } from '../../mechanism.js';
import { omnidmaSettings, rnicSettings } from './omnidma-settings.js';

const isOmniDma = ({ settings }: Situation): boolean => (settings.transport.algorithm as string) === 'omnidma';
const hasWindow = ({ given }: Situation): boolean => given.value(['omnidma', 'window'], omnidmaSettings.window);
/** probes of RNICs, and those of them that see nothing without a model of the DMA */
const rnicProbes = ['rnicDmaOps', 'rnicDmaStats', 'memoryUsage', 'rnicInterval', 'adamapCache', 'adamapEvents'];
const dmaProbes = ['rnicDmaOps', 'rnicDmaStats', 'adamapCache'];
const probePaths = (names: readonly string[]): string[] => names.map((name) => `probes.${name}`);

const dmaOf = ({ given }: Situation): string => given.value(['rnic', 'dma'], rnicSettings.dma);

export const omnidmaRules: readonly NoEffectRule[] = [
  {
    settings: ['queuePair.nackInterval'],
    causes: ['transport.algorithm'],
    when: isOmniDma,
    because: 'OmniDMA repeats OmniNACKs by omnidma.timeout',
  },
  {
    settings: ['queuePair.window', 'queuePair.variableWindow'],
    causes: ['transport.algorithm', 'omnidma.window'],
    when: (situation) => isOmniDma(situation) && !hasWindow(situation),
    because: 'omnidma.window is false',
  },
  {
    settings: ['omnidma.window'],
    causes: ['queuePair.window'],
    when: ({ settings }) => settings.queuePair.window === 'unlimited',
    because: 'queuePair.window is unlimited',
  },
  {
    settings: ['rnic.dmaBandwidth', 'rnic.dmaLatency', 'rnic.listCache', 'rnic.tableCache'],
    causes: ['rnic.dma'],
    when: (situation) => dmaOf(situation) === 'off',
    because: 'rnic.dma is off',
  },
  {
    settings: probePaths(rnicProbes),
    causes: ['transport.algorithm'],
    when: (situation) => !isOmniDma(situation),
    because: ({ settings }) => `transport.algorithm is ${settings.transport.algorithm}`,
  },
  {
    settings: probePaths(dmaProbes),
    causes: ['rnic.dma'],
    when: (situation) => isOmniDma(situation) && dmaOf(situation) === 'off',
    because: 'rnic.dma is off',
  },
  {
    settings: ['probes.rnicInterval'],
    causes: ['probes.rnicDmaStats', 'probes.memoryUsage'],
    when: ({ settings: { probes } }) => !probes.rnicDmaStats && !probes.memoryUsage,
    because: 'neither probes.rnicDmaStats nor probes.memoryUsage is on',
  },
  {
    settings: ['rnic.tlpPayload', 'rnic.tlpOverhead'],
    causes: ['rnic.dma'],
    when: (situation) => dmaOf(situation) !== 'duplex',
    because: (situation) => `rnic.dma is ${dmaOf(situation)}`,
  },
];

/** half of the data is lost, so that much is lost twice and more often; no answers are */
const often = ['fabric.errorRate=0', 'loss.rate=0.3'];
/** maps are long on their way */
const slow = [...often, 'rnic.dmaLatency=20us'];
const narrow = [...often, 'rnic.dma=duplex', 'rnic.dmaBandwidth=10Mbps'];

/** What shows the effect of settings of OmniDMA and of its RNIC's DMA, where packets are lost. */
export const omnidmaEffects: SettingEffects = {
  // a map tells of more losses, so there are fewer OmniNACKs
  'omnidma.bitmap': { values: ['2', '64'], falls: 'acknowledgements' },
  'omnidma.timeout': {
    given: [...often, 'omnidma.activeNack=false'],
    values: ['50us', '1ms'],
    rises: 'meanCompletion',
  },
  'omnidma.activeNack': {
    given: [...often, 'omnidma.timeout=1ms'],
    values: ['true', 'false'],
    rises: 'meanCompletion',
  },
  'omnidma.window': { values: ['false', 'true'], falls: 'inFlight' },
  'omnidma.nack': {
    given: often,
    values: ['auto', '1024B'],
    differs: 'all later losses are others when OmniNACKs take longer',
  },
  'rnic.dma': { given: [...slow, 'loss.rate=0.1'], values: ['single', 'duplex'], falls: 'meanCompletion' },
  'rnic.dmaBandwidth': { given: often, values: ['64Gbps', '10Mbps'], rises: 'meanCompletion' },
  'rnic.dmaLatency': { given: often, values: ['200ns', '20us'], rises: 'meanCompletion' },
  // a byte a piece: 34 times what stands around a piece
  'rnic.tlpPayload': { given: narrow, values: ['256B', '1B'], rises: 'meanCompletion' },
  'rnic.tlpOverhead': { given: narrow, values: ['20B', '256B'], rises: 'meanCompletion' },
  'rnic.listCache': { given: slow, values: ['0', '100'], falls: 'meanCompletion' },
  'rnic.tableCache': { given: slow, values: ['0', '64'], falls: 'meanCompletion' },
};

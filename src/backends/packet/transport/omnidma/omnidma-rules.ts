// When a setting of OmniDMA or of its RNIC's DMA cannot change what a run does.

import type { NoEffectRule, Situation } from '../../../backend-declaration.js';
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

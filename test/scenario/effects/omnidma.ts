// What each probe of RNICs does, and when settings of OmniDMA and of its RNIC's DMA do nothing.

import type { EffectCase } from './cases.js';
import type { NoEffectCase } from './conditions.js';
import {
  adamapCacheTable,
  adamapEventTable,
  memoryUsageTable,
  rnicDmaOperationTable,
  rnicDmaStatisticsTable,
} from '../../../src/records/rnic-records.js';
import type { TableSchema } from '../../../src/records/schema.js';
import type { Figure } from './figures.js';
import { lossy } from './scenarios.js';

const chosen = 'transport.algorithm=omnidma';
/** half of the data is lost, so that much is lost twice and more often; no answers are */
const often = [chosen, 'fabric.errorRate=0', 'loss.rate=0.3'];

const rowsOf =
  (table: TableSchema): Figure =>
  ({ sink }) =>
    sink.rowCount(table);

/** A probe of RNICs that is off and on. */
const probe = (name: string, table: TableSchema): [string, EffectCase] => [
  `probes.${name}`,
  { scenario: lossy, given: often, values: ['false', 'true'], rises: rowsOf(table) },
];

export const omnidmaCases: Readonly<Record<string, EffectCase>> = {
  ...Object.fromEntries([
    probe('rnicDmaOps', rnicDmaOperationTable),
    probe('rnicDmaStats', rnicDmaStatisticsTable),
    probe('memoryUsage', memoryUsageTable),
    probe('adamapCache', adamapCacheTable),
    probe('adamapEvents', adamapEventTable),
  ]),
  'probes.rnicInterval': {
    scenario: lossy,
    given: [...often, 'probes.memoryUsage=true'],
    values: ['50us', '5us'],
    rises: rowsOf(memoryUsageTable),
  },
};

export const omnidmaConditions: readonly NoEffectCase[] = [
  ...['omnidma.*', 'rnic.*'].map((settings) => ({
    settings: [settings],
    given: ['transport.algorithm=go-back-n'],
    because: 'transport.algorithm is go-back-n',
  })),
  {
    settings: ['queuePair.nackInterval'],
    given: [chosen],
    because: 'OmniDMA repeats OmniNACKs by omnidma.timeout',
  },
  { settings: ['queuePair.window', 'queuePair.variableWindow'], given: [chosen], because: 'omnidma.window is false' },
  {
    settings: ['omnidma.window'],
    given: ['queuePair.window=unlimited'],
    because: 'queuePair.window is unlimited',
  },
  {
    settings: ['rnic.dmaBandwidth', 'rnic.dmaLatency', 'rnic.listCache', 'rnic.tableCache'],
    given: ['rnic.dma=off'],
    because: 'rnic.dma is off',
  },
  {
    settings: ['rnicDmaOps', 'rnicDmaStats', 'memoryUsage', 'rnicInterval', 'adamapCache', 'adamapEvents'].map(
      (name) => `probes.${name}`,
    ),
    given: ['transport.algorithm=go-back-n'],
    because: 'transport.algorithm is go-back-n',
  },
  {
    settings: ['probes.rnicDmaOps', 'probes.rnicDmaStats', 'probes.adamapCache'],
    given: ['rnic.dma=off'],
    because: 'rnic.dma is off',
  },
  {
    settings: ['probes.rnicInterval'],
    given: ['probes.memoryUsage=false'],
    because: 'neither probes.rnicDmaStats nor probes.memoryUsage is on',
  },
  ...['single', 'off'].map((variant) => ({
    settings: ['rnic.tlpPayload', 'rnic.tlpOverhead'],
    given: [`rnic.dma=${variant}`],
    because: `rnic.dma is ${variant}`,
  })),
];

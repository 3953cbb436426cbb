// The table of inference requests: a row per request whose keys and values have all arrived, in the order in which they
// did.

import type { ColumnSchema, TableSchema } from './schema.js';

const timePs = (name: string, description: string): ColumnSchema => ({
  name,
  type: 'float64',
  integer: true,
  unit: 'ps',
  description,
});
const whole = (name: string, unit: string, description: string): ColumnSchema => ({
  name,
  type: 'float64',
  integer: true,
  unit,
  description,
});

/** Column indices of {@link requestTable}. */
export const RequestColumn = {
  request: 0,
  prefillInstance: 1,
  decodeInstance: 2,
  promptTokens: 3,
  outputTokens: 4,
  cache: 5,
  firstFlow: 6,
  flows: 7,
  arrival: 8,
  prefillStart: 9,
  prefillEnd: 10,
  cacheArrived: 11,
  firstToken: 12,
  finish: 13,
} as const;

export const requestTable: TableSchema = {
  name: 'requests',
  columns: [
    { name: 'request', type: 'int32', unit: '1', description: 'number of the request in order of arrival, from 0' },
    { name: 'prefillInstance', type: 'int32', unit: '1', description: 'from 0' },
    { name: 'decodeInstance', type: 'int32', unit: '1', description: 'from 0' },
    whole('promptTokens', '1', 'tokens of the prompt'),
    whole('outputTokens', '1', 'tokens that decode makes'),
    whole('cacheBytes', 'B', 'keys and values that were transferred, of all ranks'),
    whole('firstFlow', '1', 'number of its first transfer; its transfers are numbered from there'),
    whole('flows', '1', 'its transfers'),
    timePs('arrivalPs', 'when it came'),
    timePs('prefillStartPs', 'when its prefill instance was free'),
    timePs('prefillEndPs', 'when its prompt was through'),
    timePs('cacheArrivedPs', 'when the last of its keys and values had arrived'),
    timePs('firstTokenPs', 'when its first token was there'),
    timePs('finishPs', 'when its last token was there'),
  ],
};

// `collectives.protocol`, `collectives.collnet` and NCCL's environment in a scenario: what they change, and what is
// refused.

import { expect, it } from 'vitest';
import { FlowColumn, flowTable } from '../../src/records/flow-records.js';
import { scenarioRun } from '../support/scenario-run.js';

const scenario = (collectives: string): string => `
fabric: { generate: spectrum-x, gpus: 16 }
collectives: { ${collectives} }
workload: { layers: [ { name: a, forward: { collective: allreduce, group: dp, size: 1MiB } } ] }
`;
const run = (collectives: string) => scenarioRun(scenario(collectives), []);

/** Bytes that one rank sends in all, flags of the protocol included. */
async function bytesOf(collectives: string): Promise<number> {
  const { sink } = await run(collectives);
  const sources = sink.column(flowTable, FlowColumn.source);
  return sink.column(flowTable, FlowColumn.size).reduce((sum, size, i) => sum + (sources[i] === 0 ? size : 0), 0);
}

it('a protocol of its own has its flags on the wire: a ring of 16 sends 2 x 15/16 MiB, LL twice that', async () => {
  const bytes = 2 * (15 / 16) * 2 ** 20;
  expect(await bytesOf(`algorithm: ring, protocol: simple`)).toBe(bytes);
  expect(await bytesOf(`algorithm: ring, protocol: ll`)).toBe(2 * bytes);
  expect(await bytesOf(`environment: { NCCL_ALGO: Ring, NCCL_PROTO: Simple }`)).toBe(bytes);
  expect(await bytesOf(`environment: { NCCL_ALGO: Ring, NCCL_PROTO: LL, NCCL_MAX_NCHANNELS: 2 }`)).toBe(2 * bytes);
});

it.each([
  ['NCCL_ALG: Ring', 'did you mean collectives.environment.NCCL_ALGO?'],
  ['NCCL_TOPO_FILE: a.xml', 'describe the server in the fabric'],
  ['NCCL_IB_QPS_PER_CONNECTION: 65', 'a whole number from 1 to 64'],
  ['NCCL_ALGO: Rings', 'such as Ring'],
  ['NCCL_PROTO: true', 'is no number and no text'],
])('%s is refused where it stands', async (variable, text) => {
  await expect(run(`environment: { ${variable} }`)).rejects.toThrow(text);
});

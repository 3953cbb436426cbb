// One collective on an idle fabric, as `weft collective` times it: chosen, laid out, simulated.

import { prepareCollectives } from '../app/prepare-collectives.js';
import { type GroupChoices, type MeasuredCollective, simulateCollective } from '../app/simulate-collective.js';
import { simulate } from '../app/simulate.js';
import { InputError } from '../base/diagnostics.js';
import { parseSizeBytes } from '../base/units.js';
import { algorithmsFor } from '../collectives/build-schedule.js';
import { maxCollectiveBytes } from '../collectives/collective-run.js';
import { type NcclEnvironment, ncclEnvironment, variableProblem } from '../collectives/nccl-environment.js';
import type { CollectiveKind } from '../collectives/schedule.js';
import type { Wish } from '../collectives/selection.js';
import type { Fabric } from '../fabric/fabric.js';
import { type Additions, cataloguesWith } from './additions.js';
import { memoryHost } from '../app/memory-host.js';
import type { SimulationOptions } from './simulate-plan.js';

/** What is to be timed, and who chooses how it is done. */
export interface CollectiveOptions extends SimulationOptions, Additions, Partial<GroupChoices>, Partial<Wish> {
  readonly kind: CollectiveKind;
  /** the whole buffer of a rank: bytes, or a text such as `64MiB` */
  readonly size: number | string;
  /** hosts of the fabric by their number, each once; all if left out */
  readonly ranks?: readonly number[];
  /** place of the root of a broadcast or reduce in `ranks`; 0 if left out */
  readonly root?: number;
  /** variables of NCCL's environment by name, such as `{ NCCL_ALGO: 'Ring' }`: for its profiles; none if left out */
  readonly environment?: Readonly<Record<string, string>>;
  /** level of detail; `fluid` if left out */
  readonly backend?: string;
  readonly seed?: number;
  /** changes of settings in the form of `--set`, such as `sendLatency=1us` */
  readonly overrides?: readonly string[];
}

/**
 * Times one collective.
 * @param fabric from `generateFabric` or `readTopology`
 * @returns the time in picoseconds from the entry of all ranks to the last arrival, the bandwidths as nccl-tests
 * defines them in bytes per second, the choice that was made, and the figures of the run
 * @throws InputError if it cannot be done as asked; InvariantError if Weft contradicts itself
 */
export async function timeCollective(fabric: Fabric, options: CollectiveOptions): Promise<MeasuredCollective> {
  const { kind, root = 0, backend = 'fluid', seed, overrides = [] } = options;
  const { groupKind = 'dp', profile = 'nccl', algorithm = 'auto', protocol = 'auto' } = options;
  const { nvls = true, pxn = false, collnet = false, channels = 0 } = options;
  if (algorithmsFor(kind).length === 0)
    throw mistake('kind', 'there is no such collective', String(kind), 'such as allreduce, allgather or alltoall');
  const ranks = ranksOf(fabric, options.ranks);
  if (!Number.isInteger(root) || root < 0 || root >= ranks.length)
    throw mistake('root', 'the root is no place of the group', String(root), `0 to ${ranks.length - 1}`);
  const host = options.host ?? memoryHost();
  const request = {
    kind,
    sizesBytes: [sizeOf(options.size)],
    ranks,
    root,
    setup: {
      groupKind,
      profile,
      wish: { algorithm, protocol },
      nvls,
      pxn,
      collnet,
      channels,
      environment: options.environment === undefined ? undefined : environmentOf(options.environment),
    },
    planOptions: {
      name: kind,
      settings: [
        { path: 'backend', value: backend, option: 'backend' },
        ...(seed === undefined ? [] : [{ path: 'seed', value: seed, option: 'seed' }]),
      ],
      overrides,
      catalogues: cataloguesWith(options),
    },
  };
  const { plan, setup, collectives } = await prepareCollectives(fabric, request, host, placeOf);
  return simulateCollective(plan, setup, collectives[0]!, simulate, { ...options, host });
}

function ranksOf({ hosts }: Fabric, given: readonly number[] | undefined): Int32Array {
  if (given === undefined) return Int32Array.from(hosts, (_, rank) => rank);
  const strange = given.find((rank) => !Number.isInteger(rank) || rank < 0 || rank >= hosts.length);
  if (strange !== undefined)
    throw mistake('ranks', 'the fabric has no such host', String(strange), `numbers from 0 to ${hosts.length - 1}`);
  if (given.length === 0 || new Set(given).size < given.length)
    throw mistake('ranks', 'the list is empty, or has a rank twice', undefined, 'one rank or more, each once');
  return Int32Array.from(given);
}

function environmentOf(values: Readonly<Record<string, string>>): NcclEnvironment {
  for (const [name, text] of Object.entries(values)) {
    const problem = variableProblem(name, text);
    if (problem !== null) throw mistake('environment', `${name} ${problem.message}`, text, problem.wanted);
  }
  return ncclEnvironment(values);
}

function sizeOf(size: number | string): number {
  const bytes = typeof size === 'number' ? size : parseSizeBytes(size);
  if (bytes === null || !Number.isInteger(bytes) || bytes < 1 || bytes > maxCollectiveBytes)
    throw mistake('size', 'not the size of a buffer', String(size), `1B to ${maxCollectiveBytes}B, such as 64MiB`);
  return bytes;
}

function mistake(option: string, message: string, got: string | undefined, wanted: string): InputError {
  return InputError.about(`collective-${option}`, placeOf(option), message, { got, wanted });
}

function placeOf(option: string): string {
  return `timeCollective: ${option}`;
}

// The traffic that routes are for: by name, from a file, or as rows of a text.
// Invariant: every mistake is thrown as InputError with its place; ranks are the places of hosts in the fabric.

import { Diagnostics, InputError, type Diagnostic } from '../../base/diagnostics.js';
import { HostFileError, type Host } from '../../base/host.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { collectivePattern, collectivePatterns } from '../../collectives/collective-patterns.js';
import type { AllocatedJob, AllocationKind } from '../../flows/traffic/allocation.js';
import { namedTraffic, namesTraffic, parseTrafficName, trafficPatterns } from '../../flows/traffic/catalogue.js';
import { collapsed, TrafficBuilder, type Traffic, type TrafficUnit } from '../../flows/traffic/matrix.js';
import { bytesOfUtf8 } from '../../formats/byte-lines.js';
import { TrafficReader } from '../../formats/traffic-matrix.js';
import type { RunHost } from '../../records/run-tables.js';
import { nearest } from '../../scenario/suggest.js';
import { ownPieces } from './file-kinds.js';
import { ranksByWord, slurmAllocation } from './host-ranks.js';
import { folderOf, runTraffic } from './run-traffic.js';

/** How hosts of jobs may lie, where no list says it. */
const allocationKinds = ['fragmented', 'contiguous', 'alone'] as const;
/** The eleventh host: jobs that are alone begin there (Taffet's dissertation, docs/SOURCES.md, section 4.7). */
const firstOfAlone = 10;
/** Up to here sums of weights and of their squares stay finite, as in files. */
const mostWeight = 1e60;

/** Which traffic, and what is drawn for it. */
export interface TrafficRequest {
  /**
   * a pattern by name (`all-to-all`, `random-permutation`, `100xstencil:64`), a file of a matrix or the folder of a
   * run; columns of ranks; or a text (docs/formats/traffic-matrix.md)
   */
  readonly traffic?: string | TrafficColumns | { readonly csv: string; readonly name?: string } | undefined;
  /** of random traffic and allocations; 1 if left out */
  readonly seed?: number;
  /**
   * hosts of jobs: `fragmented`, in runs between those of others, which it is if left out; `contiguous`, in a row;
   * `alone`, one job in a row from the eleventh host, and several as `contiguous`; or the file of a list of jobs
   */
  readonly allocation?: string;
  /** whether phases stand apart, as they do if it is left out, or all is sent at once */
  readonly phases?: 'apart' | 'together';
}

/** A pattern, and what is drawn for it. */
export interface PatternChoice {
  readonly traffic: string;
  readonly seed: number;
  readonly allocation: AllocationKind | readonly AllocatedJob[];
}

/** Traffic with what is odd about it. */
export interface GivenTraffic {
  readonly traffic: Traffic;
  readonly warnings: readonly Diagnostic[];
}

/** @throws InputError if a request has no traffic @param why it needs some, in words */
export function requireTraffic<T>(traffic: T | undefined, why: string): T {
  if (traffic !== undefined) return traffic;
  throw InputError.about('missing-traffic', '--traffic', why, {
    wanted: 'a pattern (weft traffic list) or a file',
    hint: 'add --traffic PATTERN or --traffic FILE',
  });
}

/** Traffic by name, of a run's records, from a file, text or columns. @throws InputError, HostFileError */
export async function loadTraffic(
  host: Host & RunHost,
  request: TrafficRequest,
  source: RoutedFabric,
): Promise<GivenTraffic> {
  const given = await givenTraffic(host, request, source);
  const { traffic } = given;
  if (request.phases !== 'together' || traffic.phases.length < 2) return given;
  return { ...given, traffic: { ...traffic, phases: [{ name: 'all', matrix: collapsed(traffic) }] } };
}

async function givenTraffic(
  host: Host & RunHost,
  request: TrafficRequest,
  source: RoutedFabric,
): Promise<GivenTraffic> {
  const { seed = 1, allocation = 'fragmented' } = request;
  const name = requireTraffic(request.traffic, 'which traffic?');
  if (typeof name !== 'string')
    return 'csv' in name
      ? textTraffic(name.name ?? 'traffic', [bytesOfUtf8(name.csv)], source)
      : columnTraffic(name, source);
  const kind = allocationKinds.find((own) => own === allocation);
  if (namesTraffic(name) && !(await isRunWithoutPattern(host, name))) {
    if (kind !== undefined) {
      const place = kind === 'alone' ? (jobAlone(name, source.fabric.hosts.length) ?? 'contiguous') : kind;
      return patternTraffic({ traffic: name, seed, allocation: place }, source);
    }
    const { jobs, warnings } = slurmAllocation(await readList(host, allocation), allocation, source);
    return { ...patternTraffic({ traffic: name, seed, allocation: jobs }, source), warnings };
  }
  if (kind === undefined)
    throw InputError.about('unused-option', '--allocation', 'the traffic of a file needs no list of jobs', {
      got: allocation,
      wanted: 'a pattern for its jobs, such as ring-allreduce (weft traffic list)',
    });
  return (await runTraffic(host, name, source)) ?? textTraffic(name, ownPieces(host, name, 'traffic').pieces, source);
}

/** The hosts of a job that is alone in a row; null: the name is of several jobs, has no size of its own, or no room. */
function jobAlone(name: string, hosts: number): readonly AllocatedJob[] | null {
  const parsed = parseTrafficName(name, collectivePattern);
  const [only, ...others] = 'groups' in parsed ? parsed.groups : [];
  if (only === undefined || others.length > 0 || only.instances !== null || only.ranks !== null || only.coupled)
    return null;
  const { ranks } = only.pattern;
  if (ranks === null || firstOfAlone + ranks > hosts) return null;
  return [{ name: 'job', hosts: Int32Array.from({ length: ranks }, (_, i) => firstOfAlone + i) }];
}

/** A list of jobs. @throws InputError if there is none, for the word may have meant a kind; HostFileError */
async function readList(host: Host, path: string): Promise<string> {
  return host.readText(path).catch((error: unknown) => {
    if (!(error instanceof HostFileError) || error.reason !== 'missing') throw error;
    throw InputError.about('unknown-allocation', '--allocation', 'there is no such kind, and no such file', {
      got: path,
      wanted: `${allocationKinds.join(', ')}, or a file with the list of jobs`,
      hint: 'squeue or sacct prints the list',
    });
  });
}

/** Whether a word that could name a pattern names none, and a folder. */
async function isRunWithoutPattern(host: Host, name: string): Promise<boolean> {
  if ('groups' in parseTrafficName(name, collectivePattern)) return false;
  try {
    return (await folderOf(host, name)) !== null;
  } catch (error) {
    if (error instanceof HostFileError) return false;
    throw error;
  }
}

/** Traffic of a pattern, or of several jobs. @throws InputError if there is none of that name, or it does not fit */
export function patternTraffic(choice: PatternChoice, { fabric }: RoutedFabric): GivenTraffic {
  const parsed = parseTrafficName(choice.traffic, collectivePattern);
  if ('message' in parsed) {
    const near = nearest(
      parsed.got.replace(/^\d+x|-star|:\d*$/g, ''),
      [...trafficPatterns, ...collectivePatterns].map(({ name }) => name),
    );
    throw InputError.about('unknown-traffic', '--traffic', parsed.message, {
      got: parsed.got,
      wanted: parsed.wanted,
      ...(near === null || parsed.got.includes(near) ? {} : { hint: `did you mean ${near}?` }),
    });
  }
  const made = namedTraffic(choice.traffic, parsed.groups, fabric.hosts.length, choice);
  if (typeof made === 'string') throw InputError.about('traffic-does-not-fit', '--traffic', made);
  return { traffic: made, warnings: [] };
}

/**
 * Traffic from a text, CSV or MatrixMarket, that comes in pieces.
 * @param name of the file, for messages
 * @throws InputError
 */
async function textTraffic(
  name: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  source: RoutedFabric,
): Promise<GivenTraffic> {
  const diagnostics = new Diagnostics();
  const reader = new TrafficReader(
    name,
    name,
    { count: source.fabric.hosts.length, ranksOf: ranksByWord(source) },
    diagnostics,
  );
  for await (const piece of pieces) {
    reader.push(piece);
    if (diagnostics.full) break;
  }
  const traffic = reader.end();
  diagnostics.throwIfErrors();
  return { traffic: traffic!, warnings: diagnostics.warnings };
}

/** Pairs of hosts with what they send, in columns. */
export interface TrafficColumns {
  readonly name?: string;
  /** what weights count: bytes, or nothing in particular; relative if left out */
  readonly unit?: TrafficUnit;
  /** ranks: places among the hosts of the fabric */
  readonly sources: ArrayLike<number>;
  readonly destinations: ArrayLike<number>;
  /** 0 or more; pairs that stand twice add up */
  readonly weights: ArrayLike<number>;
}

/** Traffic from columns, all at once. @throws InputError with the first row that cannot be */
function columnTraffic(columns: TrafficColumns, { fabric }: RoutedFabric): GivenTraffic {
  const { sources, destinations, weights, name = 'traffic', unit = 'relative' } = columns;
  const hostCount = fabric.hosts.length;
  const isRank = (value: number | undefined): boolean =>
    value !== undefined && Number.isInteger(value) && value >= 0 && value < hostCount;
  const builder = new TrafficBuilder(hostCount, unit);
  for (let row = 0; row < Math.max(sources.length, destinations.length, weights.length); row++) {
    const [source, destination, weight] = [sources[row], destinations[row], weights[row]];
    if (!isRank(source) || !isRank(destination) || weight === undefined || !(weight >= 0 && weight <= mostWeight))
      throw InputError.about('bad-traffic', name, `row ${row} of the traffic cannot be`, {
        got: `${source} -> ${destination}: ${weight}`,
        wanted: `ranks below ${hostCount} and a weight from 0 to ${mostWeight}, in columns of one length`,
      });
    builder.add(source!, destination!, weight);
  }
  const traffic = { name, hostCount, unit, note: '', phases: [{ name, matrix: builder.build() }] };
  return { traffic, warnings: [] };
}

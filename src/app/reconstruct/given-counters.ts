// What ports counted: read from files, or made from traffic that is given and is the truth then.

import { Diagnostics, InputError, type Diagnostic } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { AllocatedJob } from '../../flows/traffic/allocation.js';
import { namesTraffic, parseTrafficName } from '../../flows/traffic/catalogue.js';
import { TrafficColumn, type Traffic, type TrafficMatrix } from '../../flows/traffic/matrix.js';
import { readCounterPolls, readPortCounters } from '../../formats/port-counters.js';
import type { PairRows } from '../../reconstruction/pair-rows.js';
import type { RunHost } from '../../records/run-tables.js';
import { readOwnKind } from '../routes/file-kinds.js';
import { sinceReading } from '../routes/route-counters.js';
import { loadTraffic, patternTraffic } from '../routes/traffic-input.js';
import type { ReconstructionRequest } from './reconstruction-request.js';

/** The eleventh host: in the source jobs that are alone begin there (section 4.7). */
const firstOfAlone = 10;

/** @throws InputError unless counters are given, or traffic that makes them */
export function checkSource({ traffic, counters, before }: ReconstructionRequest, lanes: number): void {
  if ((traffic === undefined) === (counters === undefined))
    throw InputError.about(
      'which-counters',
      '--counters',
      counters === undefined ? 'there are no counters' : 'there are counters, and traffic that would make others',
      { wanted: '--counters FILE, or --traffic PATTERN|FILE, which makes them' },
    );
  if (before !== undefined && counters === undefined)
    throw InputError.about('missing-counters', '--before', 'the counters from afterwards are missing', {
      hint: 'add --counters FILE',
    });
  if (counters !== undefined && lanes > 1)
    throw InputError.about('unused-option', '--lanes', 'counters of files are of whole ports', {
      got: String(lanes),
      wanted: 'no --lanes: counters by lane are not read yet',
    });
}

/** Traffic that makes the counters. @throws InputError */
export async function givenTruth(
  { traffic, allocation = 'alone' }: ReconstructionRequest,
  seed: number,
  files: Host & RunHost,
  source: RoutedFabric,
): Promise<{ readonly traffic: Traffic; readonly warnings: readonly Diagnostic[] }> {
  if (allocation !== 'alone')
    return loadTraffic(files, { ...(traffic === undefined ? {} : { traffic }), allocation, seed }, source);
  const parsed = typeof traffic === 'string' && namesTraffic(traffic) ? parseTrafficName(traffic) : null;
  const [only, ...others] = parsed !== null && 'groups' in parsed ? parsed.groups : [];
  const ranks = only?.pattern.ranks ?? null;
  const isOne = only !== undefined && others.length === 0 && only.instances === null && only.ranks === null;
  if (!isOne || ranks === null || only.coupled || firstOfAlone + ranks > source.fabric.hosts.length)
    return loadTraffic(
      files,
      { ...(traffic === undefined ? {} : { traffic }), allocation: 'contiguous', seed },
      source,
    );
  const job: AllocatedJob = { name: 'job', hosts: Int32Array.from({ length: ranks }, (_, i) => firstOfAlone + i) };
  return patternTraffic({ traffic: traffic as string, seed, allocation: [job] }, source);
}

/** What every row counts of some traffic. */
export function countersOf(sent: TrafficMatrix, { fabric }: RoutedFabric, rows: PairRows): Float64Array {
  const counters = new Float64Array(rows.count);
  const column = new TrafficColumn(sent.hostCount);
  for (let to = 0; to < sent.hostCount; to++) {
    sent.toDestination(to, column);
    for (let i = 0; i < column.length; i++) {
      const count = rows.open(fabric.hosts[column.sources[i]!]!, fabric.hosts[to]!, null);
      for (let row = 0; row < count; row++) counters[rows.rows[row]!]! += column.weights[i]!;
    }
  }
  return counters;
}

/** Bytes that ports sent between two readings, or up to one; NaN where none was read. @throws InputError */
export async function readCounters(
  { counters, before }: ReconstructionRequest,
  files: Host,
  source: RoutedFabric,
  warnings: Diagnostic[],
): Promise<Float64Array> {
  const diagnostics = new Diagnostics();
  const after = await readOwnKind(files, counters!, 'counters');
  const { rounds, last } = readCounterPolls(after.text, after.name, source, diagnostics);
  let first = rounds.length > 1 ? rounds[0]! : null;
  if (before !== undefined) {
    const earlier = await readOwnKind(files, before, 'counters');
    first = readPortCounters(earlier.text, earlier.name, source, diagnostics);
  }
  diagnostics.throwIfErrors();
  warnings.push(...diagnostics.warnings);
  return last.transmitBytes.map((bytes, port) =>
    first === null ? bytes : sinceReading(bytes, first.transmitBytes[port]!),
  );
}

/** Ranks of the hosts that sent or received, or of which that is not known, ascending. */
export function activeHosts({ fabric }: RoutedFabric, counters: Float64Array, lanes: number): Int32Array {
  const { hosts, portOffset, portPeer } = fabric;
  const isActive = (port: number): boolean => {
    for (let lane = 0; lane < lanes; lane++) if (counters[port * lanes + lane] !== 0) return true;
    return false;
  };
  return Int32Array.from(hosts.keys()).filter((rank) => {
    const port = portOffset[hosts[rank]!]!;
    return isActive(port) || isActive(portPeer[port]!);
  });
}

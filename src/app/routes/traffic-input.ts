// The traffic that routes are for: by name, from a file, or as rows of a text.
// Invariant: every mistake is thrown as InputError with its place; ranks are the places of hosts in the fabric.

import { Diagnostics, InputError, wholeFile, type Diagnostic } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { AllocationKind } from '../../flows/traffic/allocation.js';
import { namedTraffic, namesTraffic, parseTrafficName, trafficPatterns } from '../../flows/traffic/catalogue.js';
import { TrafficBuilder, type Traffic, type TrafficUnit } from '../../flows/traffic/matrix.js';
import { TrafficReader } from '../../formats/traffic-matrix.js';
import { nearest } from '../../scenario/suggest.js';
import { ownKind } from './file-kinds.js';

/** Up to here sums of weights and of their squares stay finite, as in files. */
const mostWeight = 1e60;

/** A pattern or a file, and what is drawn for it. */
export interface TrafficChoice {
  readonly traffic: string;
  readonly seed: number;
  readonly allocation: AllocationKind;
}

/** Traffic with what is odd about it. */
export interface GivenTraffic {
  readonly traffic: Traffic;
  readonly warnings: readonly Diagnostic[];
}

/** Traffic by name or from a file. @throws InputError, HostFileError */
export async function loadTraffic(host: Host, choice: TrafficChoice, source: RoutedFabric): Promise<GivenTraffic> {
  const { traffic: name } = choice;
  return namesTraffic(name)
    ? patternTraffic(choice, source)
    : textTraffic(name, ownKind(host.readBytes(name), name, 'traffic'), source);
}

/** Traffic of a pattern, or of several jobs. @throws InputError if there is none of that name, or it does not fit */
export function patternTraffic(choice: TrafficChoice, { fabric }: RoutedFabric): GivenTraffic {
  const parsed = parseTrafficName(choice.traffic);
  if ('message' in parsed) {
    const near = nearest(
      parsed.got.replace(/^\d+x|-star|:\d*$/g, ''),
      trafficPatterns.map(({ name }) => name),
    );
    throw InputError.at('unknown-traffic', '--traffic', wholeFile, parsed.message, {
      got: parsed.got,
      wanted: parsed.wanted,
      ...(near === null || parsed.got.includes(near) ? {} : { hint: `did you mean ${near}?` }),
    });
  }
  const made = namedTraffic(choice.traffic, parsed.groups, fabric.hosts.length, choice);
  if (typeof made === 'string') throw InputError.at('traffic-does-not-fit', '--traffic', wholeFile, made);
  return { traffic: made, warnings: [] };
}

/**
 * Traffic from a text, CSV or MatrixMarket, that comes in pieces.
 * @param name of the file, for messages
 * @throws InputError
 */
export async function textTraffic(
  name: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  source: RoutedFabric,
): Promise<GivenTraffic> {
  const diagnostics = new Diagnostics();
  const ranks = hostNames(source);
  const reader = new TrafficReader(
    name,
    name,
    { count: source.fabric.hosts.length, ranksOf: (word) => ranks.get(word) ?? [] },
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
export function columnTraffic(columns: TrafficColumns, { fabric }: RoutedFabric): GivenTraffic {
  const { sources, destinations, weights, name = 'traffic', unit = 'relative' } = columns;
  const hostCount = fabric.hosts.length;
  const isRank = (value: number | undefined): boolean =>
    value !== undefined && Number.isInteger(value) && value >= 0 && value < hostCount;
  const builder = new TrafficBuilder(hostCount, unit);
  for (let row = 0; row < Math.max(sources.length, destinations.length, weights.length); row++) {
    const [source, destination, weight] = [sources[row], destinations[row], weights[row]];
    if (!isRank(source) || !isRank(destination) || weight === undefined || !(weight >= 0 && weight <= mostWeight))
      throw InputError.at('bad-traffic', name, wholeFile, `row ${row} of the traffic cannot be`, {
        got: `${source} -> ${destination}: ${weight}`,
        wanted: `ranks below ${hostCount} and a weight from 0 to ${mostWeight}, in columns of one length`,
      });
    builder.add(source!, destination!, weight);
  }
  const traffic = { name, hostCount, unit, note: '', phases: [{ name, matrix: builder.build() }] };
  return { traffic, warnings: [] };
}

/**
 * Ranks by whole name, and by its first word; adapters with two ports, and sites that do not name their hosts, have
 * several of a name.
 */
function hostNames({ fabric, identity }: RoutedFabric): Map<string, number[]> {
  const whole = new Map<string, number[]>();
  const words = new Map<string, number[]>();
  fabric.hosts.forEach((host, rank) => {
    const name = identity.nodeName[host]!;
    addRank(whole, name, rank);
    addRank(words, name.split(' ')[0]!, rank);
  });
  // a whole name goes before the first word of others
  return new Map([...words, ...whole]);
}

function addRank(ranks: Map<string, number[]>, name: string, rank: number): void {
  const there = ranks.get(name);
  if (there === undefined) ranks.set(name, [rank]);
  else there.push(rank);
}

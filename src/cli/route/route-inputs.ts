// What the commands of routes read: a fabric with names, GUIDs and LIDs, tables, traffic, lists of roots.
// Invariant: every mistake is thrown as InputError with its place before anything is computed; what is only odd is
// returned as a warning.

import { Diagnostics, InputError, wholeFile, type Diagnostic } from '../../base/diagnostics.js';
import { HostFileError, type Host } from '../../base/host.js';
import { unreachablePair } from '../../fabric/connectivity.js';
import { NodeKind, type Fabric } from '../../fabric/fabric.js';
import { failLinks } from '../../fabric/failed-links.js';
import { recogniseFatTree, type FatTree } from '../../fabric/fat-tree.js';
import { fabricFamilies, findFamily, resolveParameters } from '../../fabric/generators/catalogue.js';
import { generatedIdentity, maxLid, maxRadix, withColdStartLids, type FabricIdentity } from '../../fabric/identity.js';
import type { AllocationKind } from '../../flows/traffic/allocation.js';
import { namedTraffic, namesTraffic, parseTrafficName, trafficPatterns } from '../../flows/traffic/catalogue.js';
import type { Traffic } from '../../flows/traffic/matrix.js';
import { readGuid2lid, readSwitchList } from '../../formats/guid-files.js';
import { readIbnetdiscover, type IdentifiedFabric } from '../../formats/ibnetdiscover.js';
import { LftReader } from '../../formats/opensm-lfts.js';
import { readTopology } from '../../formats/simai-topology.js';
import { TrafficReader } from '../../formats/traffic-matrix.js';
import { checkRoutes } from '../../optimization/route-validity.js';
import { nearest } from '../../scenario/suggest.js';
import { readOwnKind, refuseOtherKind, type FileKind } from './file-kinds.js';
import type { ForwardingTables } from '../../routing/forwarding-tables.js';

/** A fabric to route, recognised. */
export interface RoutedFabric extends IdentifiedFabric {
  readonly name: string;
  readonly tree: FatTree;
  /** switches of the top level that were named, empty if none were */
  readonly roots: readonly number[];
  readonly warnings: readonly Diagnostic[];
}

export interface FabricOptions {
  /** file of ibnetdiscover, topology file, or name of a family that needs no parameters (quartz1) */
  readonly fabric: string;
  readonly guid2lid?: string;
  readonly roots?: string;
  /** share of the links between switches that are taken as failed, drawn by `seed` */
  readonly failedLinks?: number;
  readonly seed?: number;
}

/** Reads and recognises a fabric. @throws InputError, HostFileError */
export async function loadFabric(host: Host, options: FabricOptions): Promise<RoutedFabric> {
  const diagnostics = new Diagnostics();
  const { fabric, identity: known } = await readFabric(host, options.fabric, diagnostics);
  let identity = known;
  if (options.guid2lid !== undefined && identity === null)
    diagnostics.error('unused-option', '--guid2lid', wholeFile, 'this fabric has no GUIDs', {
      got: options.fabric,
      wanted: 'a fabric as ibnetdiscover prints it',
    });
  if (options.guid2lid !== undefined && identity !== null)
    identity = readGuid2lid(
      await readOwnKind(host, options.guid2lid, 'guid2lid'),
      options.guid2lid,
      identity,
      diagnostics,
    );
  diagnostics.throwIfErrors();
  const roots =
    options.roots === undefined
      ? []
      : readSwitchList(
          await host.readText(options.roots),
          options.roots,
          identity ?? levelIdentity(fabric, options.fabric),
          (node) => fabric.nodeKind[node] !== NodeKind.host,
          diagnostics,
        );
  diagnostics.throwIfErrors();
  const tree = recognised(fabric, identity, roots, options.fabric);
  identity ??= levelIdentity(fabric, options.fabric, tree);
  const apart = unreachablePair(fabric);
  if (apart !== null)
    throw InputError.at('unconnected', options.fabric, wholeFile, 'the fabric falls into parts that no link joins', {
      got: `no path from ${identity.nodeName[apart.from]} to ${identity.nodeName[apart.to]}`,
      hint: 'route each part by itself: ibnetdiscover prints the one that it starts in',
    });
  const without = identity.lid.reduce((count, lid) => count + (lid === 0 ? 1 : 0), 0);
  if (without > 0 && without < fabric.nodeCount)
    diagnostics.warning(
      'missing-lid',
      options.guid2lid ?? options.fabric,
      wholeFile,
      `${without} of ${fabric.nodeCount} end ports have no LID and are given free ones`,
      { hint: 'tables hold GUIDs as well: OpenSM goes by those' },
    );
  const whole: RoutedFabric = {
    name: options.fabric,
    fabric,
    identity: withColdStartLids(fabric, identity),
    tree,
    roots,
    warnings: diagnostics.warnings,
  };
  return options.failedLinks === undefined ? whole : withFailedLinks(whole, options.failedLinks, options.seed ?? 1);
}

/** @throws InputError if it is no fat tree */
function recognised(fabric: Fabric, identity: FabricIdentity | null, roots: readonly number[], name: string): FatTree {
  const { tree, problem } = recogniseFatTree(fabric, roots);
  if (tree !== null) return tree;
  const names = problem.nodes.map((node) => identity?.nodeName[node] ?? `node ${node}`);
  throw InputError.at('no-fat-tree', name, wholeFile, `this is no fat tree: ${problem.reason}`, {
    ...(names.length > 0 ? { got: names.join(', ') } : {}),
    hint: problem.hint,
  });
}

/** The fabric after links between switches have failed. @throws InputError if what is left is no fat tree */
function withFailedLinks(whole: RoutedFabric, share: number, seed: number): RoutedFabric {
  const { fabric, identity, failed, links } = failLinks(whole, share, seed);
  const name = `${whole.name}, ${failed} of ${links} links failed`;
  return { ...whole, name, fabric, identity, tree: recognised(fabric, identity, whole.roots, name) };
}

async function readFabric(
  host: Host,
  named: string,
  diagnostics: Diagnostics,
): Promise<{ fabric: Fabric; identity: FabricIdentity | null }> {
  const family = findFamily(named);
  if (family !== null) {
    const { values, problems } = resolveParameters(family.family, family.implied);
    if (values === null)
      throw InputError.at('bad-fabric', named, wholeFile, problems[0]!.message, {
        hint: `weft topology generate ${named} --out FILE, with parameters`,
      });
    return { fabric: family.family.generate(values), identity: null };
  }
  let text: string;
  try {
    text = await host.readText(named);
  } catch (error) {
    const near = nearest(
      named,
      fabricFamilies.flatMap(({ name, otherNames }) => [[name], Object.keys(otherNames)]).flat(),
    );
    if (near !== null && error instanceof HostFileError && error.reason === 'missing')
      throw InputError.at('unknown-fabric', named, wholeFile, 'no such file', { hint: `did you mean ${near}?` });
    throw error;
  }
  return readFabricText(text, named, diagnostics);
}

/**
 * A fabric from a text in either form, which its first line tells.
 * @returns no identity for topology files
 * @throws InputError
 */
export function readFabricText(
  text: string,
  named: string,
  diagnostics: Diagnostics,
): { fabric: Fabric; identity: FabricIdentity | null } {
  refuseOtherKind(text, named, 'fabric');
  // topology files begin with a number
  if (/^\uFEFF?(?:\s*#[^\n]*\n|\s*\n)*\s*\d/.test(text.slice(0, 10_000))) {
    const fabric = readTopology(text, named, diagnostics);
    diagnostics.throwIfErrors();
    return { fabric: fabric!, identity: null };
  }
  const identified = readIbnetdiscover(text, named, diagnostics);
  diagnostics.throwIfErrors();
  return identified!;
}

/**
 * Names, GUIDs and LIDs by level; where there are no levels, all switches are called leaves.
 * @throws InputError if the fabric is too large
 */
export function levelIdentity(fabric: Fabric, file: string, tree?: FatTree): FabricIdentity {
  const identity = generatedIdentity(
    fabric,
    tree?.nodeLevel ?? Int8Array.from(fabric.nodeKind, (kind) => (kind === NodeKind.host ? -1 : 0)),
  );
  if (identity === null)
    throw InputError.at('too-large', file, wholeFile, 'the fabric does not fit an InfiniBand subnet', {
      got: `${fabric.nodeCount} end ports`,
      wanted: `at most ${maxLid} end ports, ${maxRadix} ports per switch`,
    });
  return identity;
}

/**
 * Reads tables; a loop in them is a mistake with its place.
 * @throws InputError, HostFileError
 */
export async function loadTables(
  host: Host,
  file: string,
  source: RoutedFabric,
): Promise<{ tables: ForwardingTables; warnings: readonly Diagnostic[] }> {
  const diagnostics = new Diagnostics();
  const reader = new LftReader(source, file, diagnostics);
  for await (const piece of ownKind(host.readBytes(file), file, 'tables')) {
    reader.push(piece);
    if (diagnostics.full) break;
  }
  const tables = reader.end();
  diagnostics.throwIfErrors();
  const loop = checkRoutes(source.tree, tables!).examples.loop;
  if (loop !== undefined) {
    const names = loop.path.map((node) => source.identity.nodeName[node]);
    const again = loop.path.findIndex((node, i) => loop.path.indexOf(node) !== i);
    const at = loop.path[again === -1 ? 0 : again]!;
    throw InputError.at(
      'loop',
      file,
      { line: reader.entryLine[tables!.rowOf[at]! * tables!.columns + loop.destination]!, column: 1 },
      `packets for ${source.identity.nodeName[loop.destination]} go round in circles`,
      {
        got: names.slice(0, again === -1 ? names.length : again + 1).join(' -> '),
        wanted: 'a way that ends at the host',
        hint: 'OpenSM does not check files for loops: it would load these tables',
      },
    );
  }
  return { tables: tables!, warnings: diagnostics.warnings };
}

/** Pieces of a file as they are, unless the first is of a file of another kind. @throws InputError */
async function* ownKind(pieces: AsyncIterable<Uint8Array>, file: string, wanted: FileKind): AsyncIterable<Uint8Array> {
  let first = true;
  for await (const piece of pieces) {
    if (first) refuseOtherKind(new TextDecoder().decode(piece.subarray(0, 4000)), file, wanted);
    first = false;
    yield piece;
  }
}

export interface TrafficChoice {
  readonly traffic: string;
  readonly seed: number;
  readonly allocation: AllocationKind;
}

/** Traffic by name or from a file. @throws InputError, HostFileError */
export async function loadTraffic(
  host: Host,
  choice: TrafficChoice,
  source: RoutedFabric,
): Promise<{ traffic: Traffic; warnings: readonly Diagnostic[] }> {
  const hostCount = source.fabric.hosts.length;
  if (namesTraffic(choice.traffic)) {
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
    const made = namedTraffic(choice.traffic, parsed.groups, hostCount, choice);
    if (typeof made === 'string') throw InputError.at('traffic-does-not-fit', '--traffic', wholeFile, made);
    return { traffic: made, warnings: [] };
  }
  const diagnostics = new Diagnostics();
  const ranks = hostNames(source);
  const reader = new TrafficReader(
    choice.traffic,
    choice.traffic,
    { count: hostCount, ranksOf: (name) => ranks.get(name) ?? [] },
    diagnostics,
  );
  for await (const piece of ownKind(host.readBytes(choice.traffic), choice.traffic, 'traffic')) {
    reader.push(piece);
    if (diagnostics.full) break;
  }
  const traffic = reader.end();
  diagnostics.throwIfErrors();
  return { traffic: traffic!, warnings: diagnostics.warnings };
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

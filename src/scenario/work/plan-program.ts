// A job that is a program -> its ranks on hosts, its operations, the machine under it.
// Invariants: no host has two jobs; every pair of nodes has a path, within its pin; a program has a place for each
// rank.

import { Section } from '../form/section.js';
import type { Fabric } from '../../fabric/fabric.js';
import { hostPairs } from '../../fabric/host-pairs.js';
import { parseHostList } from '../../fabric/rank-list.js';
import { findProgram } from '../../programs/families/catalogue.js';
import { machineSettings } from '../../programs/machine.js';
import { mappingSettings, nodesOfRanks } from '../../programs/mappings.js';
import type { PlacedProgram } from '../../programs/placed-program.js';
import { groupText } from '../../base/quantity-text.js';
import type { GroupValues, SettingGroup } from '../../base/settings.js';
import { errorAt, keyPlaceOf, nodeAt, type LocatedMap, type Path, warningAt, warnOfNoUse } from '../form/located.js';
import type { JobSite } from './job-site.js';
import { pinsAt } from '../network/plan-pins.js';
import { programTimeSettings } from '../form/program-schema.js';
import { tilingAt } from './program-tiling.js';
import { groupAt, wordAt } from '../form/resolve.js';

/** A program, and as a scenario would write it. */
export interface PlannedProgram {
  readonly program: PlacedProgram;
  readonly resolved: Readonly<Record<string, unknown>>;
}

/**
 * Prepares a program.
 * @param path of its block @param isBusy by rank of the fabric: another job has it; those of this one are added
 * @returns null after at least one error
 */
export function planProgram(
  block: Section,
  defaultName: string,
  isBusy: Uint8Array,
  { fabric, pins, computeSpeed, seed }: JobSite,
): PlannedProgram | null {
  const family = findProgram(block.word('program')!)!;
  const places = placesAt(block.root, block.path, fabric, isBusy);
  const values = withFittingSides(block, block.group(family.settings), family, places);
  const machine = block.group(machineSettings);
  const { mapping, shift } = block.group(mappingSettings);
  const { start } = block.group(programTimeSettings);
  const wantedRanks = family.ranks(values);
  const nodes = nodesAt(block, wantedRanks, machine.ranksPerNode, fabric, isBusy);
  if (nodes === null) return null;
  const slots = nodes.length * machine.ranksPerNode;
  const ranks = wantedRanks ?? slots;
  const problem = family.check(values, ranks);
  if (problem !== null) {
    const key = problem.setting;
    const isWritten = key !== null && block.has(key);
    const { message, setting: _, ...detail } = problem;
    errorAt(
      block.diagnostics,
      'program',
      keyPlaceOf(block.root, isWritten ? [...block.path, key] : [...block.path, 'program']),
      message,
      detail,
    );
    return null;
  }
  const trafficClass = pins.classAt(block);
  for (const node of nodes) isBusy[node] = 1;
  const { ranksPerNode } = machine;
  const ranked = family.make(values, ranks, seed);
  const tiling = mapping === 'tiled' ? tilingAt(block, ranked.grid, ranksPerNode, nodes.length) : null;
  if (mapping === 'tiled' && tiling === null) return null;
  const leaves = nodes.map((node) => leafOf(fabric, fabric.hosts[node]!));
  const nodeOf = nodesOfRanks(mapping, { ranks, ranksPerNode, leaves, shift, tiling });
  const hosts = nodeOf.map((node) => fabric.hosts[nodes[node]!]!);
  const first = fabric.hosts[nodes[0]!]!;
  const isJoined = hostPairs(fabric);
  const lost = nodes.find((node) => fabric.hosts[node] !== first && !isJoined(first, fabric.hosts[node]!));
  if (lost !== undefined) {
    block.keyError([], 'job-path', `hosts ${nodes[0]} and ${lost} have no path`, {
      wanted: 'a path between all nodes of a program',
    });
    return null;
  }
  warnOfIdleSettings(block, { mapping, ranksPerNode, shift });
  const name = block.word('name');
  const words = ['name', 'nodes', 'nodeTile', 'leafTile'].flatMap((key) => {
    const text = block.word(key);
    return text === undefined ? [] : [[key, text] as const];
  });
  const speeds = computeSpeed;
  return {
    program: {
      name: name ?? defaultName,
      kind: family.name,
      program: ranked,
      hosts,
      machine,
      computeSpeed: speeds === null ? null : Float64Array.from(nodeOf, (node) => speeds[nodes[node]!]!),
      startPs: start,
      trafficClass,
    },
    resolved: {
      ...Object.fromEntries(words),
      program: family.name,
      ...groupText(family.settings, values),
      ...groupText(machineSettings, machine),
      ...groupText(mappingSettings, { mapping, shift }),
      ...groupText(programTimeSettings, { start }),
      ...pinsAt(block),
    },
  };
}

/** Warns of what is given and changes nothing with this mapping and so many ranks on a node. */
function warnOfIdleSettings(
  block: Section,
  { mapping, ranksPerNode, shift }: { readonly mapping: string; readonly ranksPerNode: number; readonly shift: number },
): void {
  const because = [
    ...(mapping === 'shifted' || shift === 0 ? [] : [['shift', `mapping is ${mapping}`] as const]),
    ...(mapping === 'tiled' ? [] : (['nodeTile', 'leafTile'] as const).map((key) => [key, `mapping is ${mapping}`])),
    ...(ranksPerNode > 1
      ? []
      : (['memoryLatency', 'memoryRate'] as const).map((key) => [key, 'every rank has a node of its own'])),
  ];
  for (const [key, why] of because) {
    const at = [...block.path, key!];
    if (nodeAt(block.root, at) === undefined) continue;
    warnOfNoUse(block.diagnostics, block.root, at, why!);
  }
}

/** How many ranks the hosts of a program have room for. */
function placesAt(root: LocatedMap, path: Path, fabric: Fabric, isBusy: Uint8Array): number {
  const text = wordAt(root, [...path, 'nodes']);
  const nodes = text === undefined ? null : parseHostList(text, fabric);
  const hosts = nodes === null ? isBusy.filter((busy) => busy === 0) : nodes;
  return (
    (hosts instanceof Int32Array || hosts instanceof Uint8Array ? hosts.length : 0) *
    groupAt(root, path, machineSettings).ranksPerNode
  );
}

const sideNames = ['x', 'y', 'z'] as const;

/** A grid of which no side is written has as many ranks as there are places, if the usual one has more. */
function withFittingSides<V extends GroupValues>(
  block: Section,
  values: V,
  family: { readonly ranks: (values: V) => number | null; readonly settings: SettingGroup },
  places: number,
): V {
  const own = sideNames.filter((name) => Object.hasOwn(family.settings, name));
  const usual = family.ranks(values);
  if (own.length === 0 || usual === null || usual <= places || places < 1) return values;
  if (own.some((name) => block.has(name))) return values;
  const sides: Record<string, number> = {};
  let left = places;
  const open = own.filter((name) => values[name] !== 1);
  for (const [i, name] of open.entries()) {
    sides[name] = nearestDivisor(left, open.length - i);
    left /= sides[name];
  }
  const fitting = { ...values, ...sides };
  const text = (of: GroupValues): string => own.map((name) => String(of[name])).join(' x ');
  warningAt(
    block.diagnostics,
    'program-sides',
    block.keyPlace('program'),
    `${block.text()} has ${text(fitting)} ranks: the usual ${text(values)} are more than the ${places} places`,
    { hint: `set ${own.join(', ')} to choose, or ranksPerNode for more places`, path: block.text(own[0]!) },
  );
  return fitting;
}

/** The smallest divisor of a number that is at least its root. @param sides how many sides are still to be chosen */
function nearestDivisor(count: number, sides: number): number {
  for (let side = 1; side < count; side++) {
    let power = 1;
    for (let i = 0; i < sides; i++) power *= side;
    if (power >= count && count % side === 0) return side;
  }
  return count;
}

/**
 * The hosts that a program runs on, as ranks of the fabric.
 * @param ranks that it needs places for; null: as many as there are
 */
function nodesAt(
  block: Section,
  ranks: number | null,
  ranksPerNode: number,
  fabric: Fabric,
  isBusy: Uint8Array,
): Int32Array | null {
  const text = block.word('nodes');
  const needed = ranks === null ? null : Math.ceil(ranks / ranksPerNode);
  if (text === undefined) {
    const free = Array.from(isBusy.keys())
      .filter((node) => isBusy[node] === 0)
      .slice(0, needed ?? isBusy.length);
    if (free.length === 0 || (needed !== null && free.length < needed)) {
      block.keyError([], 'program-ranks', `${block.text()} has more ranks than places`, {
        got: `${ranks ?? ranksPerNode} ranks, ${ranksPerNode} on a node`,
        wanted: `at most ${free.length * ranksPerNode} ranks on ${free.length} free hosts`,
        hint: 'set ranksPerNode, or use a larger fabric',
      });
      return null;
    }
    return Int32Array.from(free);
  }
  const { place } = block.node('nodes')!;
  const nodes = parseHostList(text, fabric);
  if (!(nodes instanceof Int32Array)) {
    errorAt(block.diagnostics, 'program-nodes', place, `${block.text('nodes')} is not a list of hosts`, nodes);
    return null;
  }
  const taken = nodes.find((node) => isBusy[node] === 1);
  if (taken !== undefined) {
    errorAt(block.diagnostics, 'program-nodes', place, `host ${taken} has another job already`, {
      got: text,
      wanted: 'a host in one job',
    });
    return null;
  }
  if (needed !== null && nodes.length < needed) {
    errorAt(block.diagnostics, 'program-ranks', place, `${block.text()} has more ranks than places`, {
      got: `${ranks!} ranks, ${ranksPerNode} on a node`,
      wanted: `at most ${nodes.length * ranksPerNode} ranks on these ${nodes.length} hosts`,
      hint: 'name more nodes, or set ranksPerNode',
    });
    return null;
  }
  return needed === null ? nodes : nodes.slice(0, needed);
}

/** The node at the other end of a host's first link: its leaf. */
function leafOf({ portOffset, portNode, portPeer }: Fabric, host: number): number {
  const port = portOffset[host]!;
  return port === portOffset[host + 1] ? host : portNode[portPeer[port]!]!;
}

// Lanes of routes from files: service levels of pairs of hosts (path records), the lanes of these levels (SL2VL); and
// which SL2VL tables a running fabric has, and whether they are those that weft route export wrote.
// Invariants: no level in use is dropped by a switch, and every switch says its lane; tables are as exported only if
// every switch was read and every pair of ports deals service levels out in the same way.

import { shownName } from '../../fabric/port-identity.js';
import { Diagnostics, InputError, type Diagnostic } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import { NodeKind } from '../../fabric/fabric.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { slToVl } from '../../formats/opensm-options.js';
import { PathRecordReader } from '../../formats/opensm-path-records.js';
import { readLaneTables, type LaneTables } from '../../formats/opensm-sl2vl.js';
import type { LoadedLanes } from '../../report/routes/lane-text.js';
import type { FlowLevels, LaneRule } from '../../routing/route-lanes.js';
import { ownPieces, readOwnKind, type GivenText } from './file-kinds.js';

/**
 * Reads SL2VL tables.
 * @param lanes lanes that they should deal service levels out to
 * @throws InputError, HostFileError
 */
export async function loadLanes(
  host: Host,
  file: string,
  lanes: number | undefined,
  source: RoutedFabric,
  diagnostics: Diagnostics,
): Promise<LoadedLanes> {
  const found = readLaneTables(await host.readText(file), file, source, diagnostics);
  diagnostics.throwIfErrors();
  const [first] = found.tables;
  const asExported =
    lanes === undefined
      ? null
      : found.missingSwitches.length === 0 &&
        found.tables.length === 1 &&
        first!.lanes.every((lane, level) => lane === slToVl(lanes)[level]);
  return { found, asExported };
}

/**
 * Reads the service levels that hosts send with, and the lanes of these.
 * @param from path records: a file, or its text
 * @param sl2vl SL2VL tables of the switches; left out: level s has lane s everywhere
 * @throws InputError, HostFileError
 */
export async function loadLevels(
  host: Host,
  from: string | GivenText,
  sl2vl: string | GivenText | undefined,
  source: RoutedFabric,
): Promise<{ levels: FlowLevels; warnings: readonly Diagnostic[] }> {
  const diagnostics = new Diagnostics();
  const { name, pieces } = ownPieces(host, from, 'levels');
  const reader = new PathRecordReader(source, name, diagnostics);
  for await (const piece of pieces) {
    reader.push(piece);
    if (diagnostics.full) break;
  }
  const levels = reader.end();
  diagnostics.throwIfErrors();
  if (sl2vl === undefined) return { levels: levels!, warnings: diagnostics.warnings };
  const { text, name: file } = await readOwnKind(host, sl2vl, 'lanes');
  const tables = readLaneTables(text, file, source, diagnostics);
  diagnostics.throwIfErrors();
  return { levels: withLaneTables(levels!, tables, source, file), warnings: diagnostics.warnings };
}

/** SL2VL tables belong to service levels. @throws InputError if there are tables alone */
export function checkLaneOptions(lanes: unknown, sl2vl: unknown): void {
  if (lanes === undefined && sl2vl !== undefined)
    throw InputError.about('missing-levels', '--sl2vl', 'the service levels that hosts send with are missing', {
      hint: 'add --lanes FILE: opensm-path-records.dump, or what saquery -p prints',
    });
}

/** Levels with the lanes that switches put them on. @throws InputError if a switch has none, or drops a level in use */
function withLaneTables(
  given: FlowLevels,
  { lanesOf }: LaneTables,
  { fabric, identity }: RoutedFabric,
  file: string,
): FlowLevels {
  const { portOffset, portNode } = fabric;
  const number = (port: number): number => identity.portNumber[port]!;
  const ruleOf = (inPort: number, outPort: number): readonly number[] | null =>
    lanesOf(portNode[inPort]!, number(inPort), number(outPort));
  const used = Array.from({ length: given.count }, (_, level) => level);
  let most = 0;
  for (let node = 0; node < fabric.nodeCount; node++) {
    if (fabric.nodeKind[node] === NodeKind.host) continue;
    for (let inPort = portOffset[node]!; inPort < portOffset[node + 1]!; inPort++)
      for (let outPort = portOffset[node]!; outPort < portOffset[node + 1]!; outPort++) {
        if (inPort === outPort) continue;
        const lanes = ruleOf(inPort, outPort);
        const where = `${shownName(identity, node)}, in ${number(inPort)}, out ${number(outPort)}`;
        if (lanes === null)
          throw InputError.about('missing-lanes', file, 'a switch has no SL2VL table for two of its ports', {
            got: where,
            hint: 'opensm-sl2vl.dump has all of them',
          });
        const dropped = used.find((level) => lanes[level] === 15);
        if (dropped !== undefined)
          throw InputError.about('dropped-level', file, `service level ${dropped} is in use and dropped`, {
            got: where,
            wanted: 'a lane from 0 to 14',
          });
        most = Math.max(most, ...lanes.slice(0, given.count));
      }
  }
  const rule: LaneRule = (level, inPort, outPort) => ruleOf(inPort, outPort)?.[level] ?? 0;
  return {
    count: given.count,
    lanes: { rule, count: most + 1 },
    levels: (from, destination, offset) => given.levels(from, destination, offset),
  };
}

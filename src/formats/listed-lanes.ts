// SL2VL tables that were read -> the lanes of a fabric's ports.
// Invariant: every level in use has one of the lanes that there are, between all ports of every switch; hosts without a
// table put level s on lane s, or its rest by the number of lanes, which is told.

import { type FileProblems, wholeFile } from '../base/diagnostics.js';
import { NodeKind } from '../fabric/fabric.js';
import { shownName } from '../fabric/port-identity.js';
import { levelsPerRow, ListedLanes } from '../routing/lane-maps.js';
import type { LaneTables } from './opensm-sl2vl.js';
import type { IdentifiedFabric } from './subnet-records.js';

/** What tables have to fit. */
interface LaneLimits {
  /** levels in use */
  readonly levels: number;
  /** lanes that there are */
  readonly most: number;
  /** the setting that says how many */
  readonly setting: string;
}

/** A service level in use whose lane is none of the `most` that there are. */
function tellOfLane(
  problems: FileProblems,
  at: Parameters<FileProblems['error']>[1],
  level: number,
  lane: number,
  where: string,
  { most, setting }: LaneLimits,
): void {
  if (lane === 15)
    problems.error('dropped-level', at, `service level ${level} is in use and dropped`, {
      got: `${where}: lane 15`,
      wanted: `a lane from 0 to ${most - 1}`,
    });
  else
    problems.error('lane-beyond', at, `service level ${level} has a lane that there is not`, {
      got: `${where}: lane ${lane}`,
      wanted: most === 1 ? `lane 0, or more ${setting}` : `a lane from 0 to ${most - 1}, or more ${setting}`,
    });
}

/** The rows of the tables by ports of the fabric; every mistake with its line. */
export function listedLanes(
  { fabric, identity }: IdentifiedFabric,
  tables: LaneTables,
  limits: LaneLimits,
  problems: FileProblems,
): ListedLanes {
  const { nodeCount, nodeKind, portOffset, portNode } = fabric;
  const { levels, most } = limits;
  const first = new Float64Array(nodeCount + 1);
  const portsOf = (node: number): number => portOffset[node + 1]! - portOffset[node]!;
  for (let node = 0; node < nodeCount; node++) first[node + 1] = first[node]! + portsOf(node) * portsOf(node);
  const row = new Uint16Array(first[nodeCount]!);
  // row 0 stands where a host says nothing
  const places = new Map<string, number>([['', 0]]);
  const rows: number[][] = [Array.from({ length: levelsPerRow }, (_, level) => level % most)];
  const take = (at: number, lanes: readonly number[]): void => {
    const text = lanes.join(' ');
    let place = places.get(text);
    if (place === undefined) {
      place = rows.push([...lanes]) - 1;
      places.set(text, place);
    }
    row[at] = place;
  };
  let silent = 0;
  for (let node = 0; node < nodeCount; node++) {
    const ports = portsOf(node);
    const isHost = nodeKind[node] === NodeKind.host;
    for (let from = 0; from < ports; from++)
      for (let to = 0; to < ports; to++) {
        // what is made at a node stands where its ports meet themselves
        if (isHost ? from !== to : from === to) continue;
        const [inNumber, outNumber] = [from, to].map((port) => identity.portNumber[portOffset[node]! + port]!) as [
          number,
          number,
        ];
        const key = isHost
          ? ([
              [0, 0],
              [0, outNumber],
            ].find(([a, b]) => tables.lanesOf(node, a!, b!) !== null) ?? [0, 0])
          : [inNumber, outNumber];
        const lanes = tables.lanesOf(node, key[0]!, key[1]!);
        if (lanes === null && isHost) {
          silent++;
          continue;
        }
        const where = `${shownName(identity, node)}, in ${key[0]}, out ${key[1]}`;
        const at = tables.placeOf(node, key[0]!, key[1]!);
        if (lanes === null)
          problems.error('missing-lanes', wholeFile, 'a switch has no SL2VL table for two of its ports', {
            got: where,
            hint: 'opensm-sl2vl.dump has all of them',
          });
        else {
          const level = lanes.findIndex((lane, own) => own < levels && lane >= most);
          if (level < 0) take(first[node]! + from * ports + to, lanes);
          else tellOfLane(problems, at, level, lanes[level]!, where, limits);
        }
        if (problems.full) return new ListedLanes(most, () => 0, new Uint8Array(levelsPerRow));
      }
  }
  if (silent > 0)
    problems.warning(
      'missing-lanes',
      wholeFile,
      `${silent} ports of hosts have no SL2VL table: service level s has lane s there, or its rest by ${most}`,
    );
  return new ListedLanes(
    most,
    (inPort, outPort) => {
      const node = portNode[outPort]!;
      const begin = portOffset[node]!;
      const from = inPort < 0 ? outPort : inPort;
      return row[first[node]! + (from - begin) * portsOf(node) + outPort - begin]!;
    },
    Uint8Array.from(rows.flat()),
  );
}

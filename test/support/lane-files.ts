// Files of service levels and SL2VL tables in OpenSM's form, by the names and LIDs that a fabric gets.

import { type Fabric, NodeKind } from '../../src/fabric/fabric.js';
import { guidText } from '../../src/fabric/identity.js';
import { knownIdentity } from '../../src/fabric/level-identity.js';

/** The identity of a fabric, and who writes its files. */
export function laneFiles(fabric: Fabric) {
  const identity = knownIdentity(fabric, null)!;
  const lid = (host: number): string => `0x${identity.lid[host]!.toString(16).padStart(4, '0')}`;

  /** Path records with the level of every pair. */
  const records = (level: (source: number, destination: number) => number): string =>
    [...fabric.hosts]
      .map((source) => {
        const rows = [...fabric.hosts]
          .filter((destination) => destination !== source)
          .map((destination) => `${lid(destination)} : ${level(source, destination)}\n`);
        return `Channel Adapter ${guidText(identity.portGuid[source]!)}, base LID ${identity.lid[source]}, "x", port 1\n# LID  : SL\n${rows.join('')}\n`;
      })
      .join('');

  /** SL2VL tables of all nodes; null: there is no line for these two ports. */
  const tables = (lane: (level: number, node: number, inPort: number, outPort: number) => number | null): string =>
    Array.from({ length: fabric.nodeCount }, (_, node) => {
      const isHost = fabric.nodeKind[node] === NodeKind.host;
      const ports = fabric.portOffset[node + 1]! - fabric.portOffset[node]!;
      const pairs = isHost
        ? [[0, 0]]
        : Array.from({ length: ports * ports }, (__, i) => [1 + Math.floor(i / ports), 1 + (i % ports)]);
      const rows = pairs.flatMap(([a, b]) => {
        const lanes = Array.from({ length: 16 }, (__, level) => lane(level, node, a!, b!));
        return lanes.includes(null) ? [] : [`${a}   ${b}   : ${lanes.join('  ')}\n`];
      });
      return `${isHost ? 'Channel Adapter' : 'Switch'} ${guidText(identity.portGuid[node]!)}, base LID ${identity.lid[node]}, "x"\n${rows.join('')}`;
    }).join('');

  return { identity, records, tables };
}

// Which lane every switch and host puts a service level on, in the form of OpenSM's dump: what opensm-sl2vl.ts reads.

import { NodeKind } from '../fabric/fabric.js';
import { guidText } from '../fabric/identity.js';
import { levelsPerRow, madeHere, type LaneMap } from '../routing/lane-maps.js';
import type { IdentifiedFabric } from './subnet-records.js';

/** The lanes of all 16 levels between two ports of a node, node after node. @param map that looks at ports and levels alone */
export function* laneTableTexts({ fabric, identity }: IdentifiedFabric, map: LaneMap): Generator<string> {
  const { nodeCount, nodeKind, portOffset } = fabric;
  for (let node = 0; node < nodeCount; node++) {
    const isHost = nodeKind[node] === NodeKind.host;
    const row = (inPort: number, outPort: number): string => {
      const lanes = Array.from({ length: levelsPerRow }, (_, level) => map.lane(level, -1, -1, inPort, outPort));
      const inNumber = inPort === madeHere ? 0 : identity.portNumber[inPort]!;
      return `${inNumber} ${identity.portNumber[outPort]!} : ${lanes.join(' ')}\n`;
    };
    let text =
      `${isHost ? 'Channel Adapter' : 'Switch'} ${guidText(identity.portGuid[node]!)}, base LID ${identity.lid[node]!}, ` +
      `"${identity.nodeName[node]!}"\n`;
    for (let outPort = portOffset[node]!; outPort < portOffset[node + 1]!; outPort++) {
      if (isHost) text += row(madeHere, outPort);
      else
        for (let inPort = portOffset[node]!; inPort < portOffset[node + 1]!; inPort++)
          if (inPort !== outPort) text += row(inPort, outPort);
    }
    yield `${text}\n`;
  }
}

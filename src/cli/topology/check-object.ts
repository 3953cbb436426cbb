// A checked fabric as JSON: `weft topology check --json`, and part of that of `weft report --fabric`.

import type { FabricCheck } from '../../app/check-fabric.js';
import type { Fabric } from '../../fabric/fabric.js';
import { irregularity, recogniseFatTree } from '../../fabric/fat-tree.js';

/** What stands in a fabric, what is odd, and what changed, but for warnings. */
export function checkObject({
  name,
  fabric,
  identity,
  summary,
  findings,
  changes,
}: FabricCheck): Record<string, unknown> {
  return {
    file: name,
    ...summary,
    ...(identity === null ? {} : { fatTree: fatTreeObject(fabric) }),
    findings,
    ...changes,
  };
}

function fatTreeObject(fabric: Fabric): unknown {
  const { tree } = recogniseFatTree(fabric);
  return tree === null
    ? null
    : {
        levels: tree.levels,
        switchesByLevel: tree.switches.map((level) => level.length),
        pods: tree.podCount,
        coreGroups: tree.coreGroupCount,
        irregularity: irregularity(tree),
      };
}

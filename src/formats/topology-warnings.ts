// What is odd about a fabric that was read from a topology file, though each of its lines is right: servers that are
// not full, hosts without links or without a path to each other, NVSwitches between servers.

import { type FileProblems, wholeFile, type Position } from '../base/diagnostics.js';
import { unlinkedHosts, unreachablePair } from '../fabric/connectivity.js';
import { NodeKind, type Fabric } from '../fabric/fabric.js';

/**
 * Warns of what is odd about a fabric that was read. @param gpusPerServerAt where the file says how many a server has
 */
export function warnOfFabric(fabric: Fabric, gpusPerServerAt: Position, problems: FileProblems): void {
  const hosts = fabric.hosts.length;
  if (hosts % fabric.gpusPerServer !== 0) {
    problems.warning(
      'uneven-servers',
      gpusPerServerAt,
      `${hosts} hosts do not fill servers of ${fabric.gpusPerServer}: the last server has ${hosts % fabric.gpusPerServer}`,
      { hint: 'check gpus_per_server and node_num in line 1' },
    );
  }
  const unlinked = unlinkedHosts(fabric);
  if (unlinked.length > 0) {
    const shown = unlinked.slice(0, 5).join(', ') + (unlinked.length > 5 ? ', ...' : '');
    problems.warning('unlinked-host', wholeFile, `${unlinked.length} of ${hosts} hosts have no link: ${shown}`, {
      hint: 'nodes that are not listed as switches in line 2 are hosts',
    });
  }
  const pair = unreachablePair(fabric);
  if (pair !== null) {
    problems.warning(
      'disconnected',
      wholeFile,
      `not every host can reach every other: there is no path from host ${pair.from} to host ${pair.to}`,
      { hint: 'hosts do not forward; add links between the switches if this is not meant' },
    );
  }
  warnOfSpanningNvswitch(fabric, problems);
}

function warnOfSpanningNvswitch(fabric: Fabric, problems: FileProblems): void {
  for (let node = 0; node < fabric.nodeCount; node++) {
    if (fabric.nodeKind[node] !== NodeKind.nvswitch) continue;
    let server = -1;
    for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++) {
      const peerServer = fabric.nodeServer[fabric.portNode[fabric.portPeer[port]!]!]!;
      if (server !== -1 && peerServer !== -1 && peerServer !== server) {
        problems.warning(
          'spanning-nvswitch',
          wholeFile,
          `NVSwitch ${node} links hosts of different servers (${server} and ${peerServer})`,
          { hint: 'hosts fill the servers in ascending order of id, gpus_per_server each: check that count' },
        );
        return;
      }
      if (peerServer !== -1) server = peerServer;
    }
  }
}

// NVLS (NVLink SHARP): every GPU sends its data to the NVSwitch of its server, which adds, and sends the sum to every
// GPU. Across servers (NVLS-tree) one GPU per server passes the server's sum on along a double binary tree, and the
// NVSwitch spreads what comes back; the communication-stack document's own tree is a heap over the servers instead.
// Sources: communication-stack document (docs/SOURCES.md), 2.4 and "Channel Construction"; SimAI's flows, of 4 chunks
// (docs/models/simai.md#collectives): up and down are flows of the chunk's size. The speaker of a server adds its own
// data to the sum when that comes from the NVSwitch; it does not send it there first.
// Not modelled: that a GPU reads sums of its own share only and writes them back (multimem), which takes (1 + 1/n) of
// the buffer each way instead of once; multicast, so a broadcast to n GPUs is n flows.

import { fail } from '../base/fail.js';
import { type Placement, speakersOf } from './communicator.js';
import { binaryTreeParent } from './double-binary-tree.js';
import { Forest, isAbsent, isRoot, type Parents } from './forest.js';

/** True if every server of a placement has an NVSwitch that all its ranks are linked to. */
export function canNvls({ switches, sumsInSwitches }: Placement): boolean {
  return sumsInSwitches && switches.every((places) => places.length > 0);
}

/** One server: the NVSwitch is the root; channels share out the NVSwitches. */
export function nvlsStars(placement: Placement, channelCount: number): Forest {
  const { servers, switches, rankCount, switchCount } = placement;
  if (servers.length !== 1 || !canNvls(placement)) fail('NVLS needs one server with an NVSwitch');
  const trees = Array.from({ length: channelCount }, (_, channel) => {
    const parents: Parents = new Int32Array(rankCount + switchCount).fill(isAbsent);
    const center = switches[0]![channel % switches[0]!.length]!;
    parents.fill(center, 0, rankCount);
    parents[center] = isRoot;
    return parents;
  });
  return new Forest(rankCount + switchCount, trees);
}

/**
 * Several servers: a double binary tree over one GPU of each, below it the server's NVSwitch, and below that the
 * server's other GPUs.
 */
export function nvlsTrees(placement: Placement, channelCount: number): Forest {
  return treesOverServers(
    placement,
    channelCount,
    (server, channel) => binaryTreeParent(server, placement.servers.length, channel & 1),
    (channel) => channel >> 1,
  );
}

/**
 * The same along a heap: server 0 is the root, below server i are 2 i + 1 and 2 i + 2, and one GPU of each server, the
 * same in all channels, speaks for it.
 */
export function nvlsHeaps(placement: Placement, channelCount: number): Forest {
  return treesOverServers(
    placement,
    channelCount,
    (server) => (server - 1) >> 1,
    () => 0,
  );
}

/** @param parentOf of a server but the first, in a channel @param turnOf which speaker's turn it is in a channel */
function treesOverServers(
  placement: Placement,
  channelCount: number,
  parentOf: (server: number, channel: number) => number,
  turnOf: (channel: number) => number,
): Forest {
  const { servers, switches, rankCount, switchCount } = placement;
  if (!canNvls(placement)) fail('an NVLS tree needs an NVSwitch in every server');
  const trees = Array.from({ length: channelCount }, (_, channel) => {
    const parents: Parents = new Int32Array(rankCount + switchCount).fill(isAbsent);
    const speaker = (server: number): number => {
      const able = speakersOf(placement, server);
      return able[turnOf(channel) % able.length]!;
    };
    servers.forEach((places, server) => {
      const own = speaker(server);
      parents[own] = server === 0 ? isRoot : speaker(parentOf(server, channel));
      if (places.length === 1) return;
      const center = switches[server]![channel % switches[server]!.length]!;
      parents[center] = own;
      for (const place of places) if (place !== own) parents[place] = center;
    });
    return parents;
  });
  return new Forest(rankCount + switchCount, trees);
}

// The double binary tree: two binary trees over the same servers such that a server that forwards in one is a leaf of
// the other. Half of the channels use one tree, half the other; so every server but the root's sends and receives about
// as much as in a ring, in logarithmic time. Inside a server the ranks form a chain, and its head speaks to the other
// servers; heads change with every other channel, so that each NIC has a channel of both trees, and is a leaf in one,
// if there are twice as many channels as ranks in a server (NCCL doubles its channels so). Heads have a NIC; a root
// without one is followed in its chain by one that speaks for it.
// Both trees have the same root, outside of them and with one child in each, so that broadcast and reduce work from any
// root.
// Sources: Sanders, Speck, Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan" (Parallel
// Computing 35, 2009), section 4 (in-order trees; the second mirrored for an even number of servers below the root,
// shifted by one for an odd number); NCCL 2.4's double binary trees. Not modelled: NCCL's second root for an allreduce,
// and children attached elsewhere in the chain than at its head.

import { type Placement, speakersOf } from './communicator.js';
import { Forest, isRoot, type Parents } from './forest.js';

/**
 * The parent of a server in one of the two trees, in numbers 0 .. serverCount - 1 of which 0 is the root.
 * @param server 1 or more @param tree 0 or 1
 */
export function binaryTreeParent(server: number, serverCount: number, tree: number): number {
  if (tree === 0) return inOrderParent(server, serverCount);
  const below = serverCount - 1;
  // the tree again, over other names: where a server stands in it, and who stands at a position
  const isMirrored = below % 2 === 0;
  const position = isMirrored ? serverCount - server : server === 1 ? below : server - 1;
  const parent = inOrderParent(position, serverCount);
  if (parent === 0) return 0;
  return isMirrored ? serverCount - parent : parent === below ? 1 : parent + 1;
}

/**
 * In-order: odd numbers are leaves, multiples of 2 that are not of 4 are their parents, and so on; a parent beyond the
 * end is passed over.
 */
function inOrderParent(position: number, count: number): number {
  const bit = position & -position;
  const left = position - bit;
  const parent = (left & (2 * bit)) === 0 ? left + 2 * bit : left;
  return parent < count ? parent : left;
}

/**
 * The trees of all channels: even channels use the first tree, odd ones the second.
 * @param root place of the root of all of them; without it (an allreduce may have any) heads change in the root's
 * server as in the others
 */
export function doubleBinaryTrees(placement: Placement, channelCount: number, root?: number): Forest {
  const { servers, serverOf, rankCount } = placement;
  const rootServer = serverOf[root ?? 0]!;
  const trees = Array.from({ length: channelCount }, (_, channel) => {
    const parents: Parents = new Int32Array(rankCount);
    const speakers = servers.map((_, server) => {
      const able = speakersOf(placement, server);
      return root !== undefined && server === rootServer && able.includes(root)
        ? root
        : able[(channel >> 1) % able.length]!;
    });
    const chains = servers.map((places, server) => {
      const chain = chainFrom(places, places.indexOf(speakers[server]!));
      return root === undefined || server !== rootServer || speakers[server] === root
        ? chain
        : [root, ...chain.filter((place) => place !== root)];
    });
    const at = (number: number): number => (number + rootServer) % servers.length;
    for (let number = 0; number < servers.length; number++) {
      const chain = chains[at(number)]!;
      parents[chain[0]!] = number === 0 ? isRoot : speakers[at(binaryTreeParent(number, servers.length, channel & 1))]!;
      for (let i = 1; i < chain.length; i++) parents[chain[i]!] = chain[i - 1]!;
    }
    return parents;
  });
  return new Forest(rankCount, trees);
}

/** The places of a server from one of them on, around. */
export function chainFrom(places: Int32Array, first: number): number[] {
  return Array.from(places, (_, i) => places[(i + first) % places.length]!);
}

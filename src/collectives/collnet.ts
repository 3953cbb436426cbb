// CollNet: the reduction between servers is done by switches (SHARP). In NCCL one GPU per NIC sends its server's sum to
// the network and gets the sum of all servers back. Direct: every GPU is responsible for a part of the buffer, to which
// the others of its server send theirs. Chain: the GPUs of a server form a chain to the one that speaks to the network.
// What is modelled in place of the switches: a binary tree over the speaking GPUs, each of which adds and passes on as
// a switch would. So the order of events and the depth (logarithmic) are those of a reduction in a tree, but a GPU on
// the way receives up to two servers' sums and sends up to three times what it would with SHARP, and no switch takes
// part. Times are upper bounds.
// Source: NCCL's CollNet direct and chain; Graham et al., "Scalable Hierarchical Aggregation Protocol (SHARP)" (COMHPC
// 2016).

import { binaryTreeParent, chainFrom } from './double-binary-tree.js';
import { type Placement, speakersOf } from './communicator.js';
import { Forest, isRoot, type Parents } from './forest.js';

/** Channel c belongs to the GPUs that stand c-th in their servers: they collect, and speak for their servers. */
export function collnetDirectTrees(placement: Placement, channelCount: number): Forest {
  return speakersTrees(placement, channelCount, (places, speaker, parents) => {
    for (const place of places) if (place !== speaker) parents[place] = speaker;
  });
}

/** Channel c's chains begin at the GPUs that stand c-th in their servers. */
export function collnetChainTrees(placement: Placement, channelCount: number): Forest {
  return speakersTrees(placement, channelCount, (places, speaker, parents) => {
    const chain = chainFrom(places, places.indexOf(speaker));
    for (let i = 1; i < chain.length; i++) parents[chain[i]!] = chain[i - 1]!;
  });
}

function speakersTrees(
  placement: Placement,
  channelCount: number,
  connect: (places: Int32Array, speaker: number, parents: Parents) => void,
): Forest {
  const { servers, rankCount } = placement;
  const trees = Array.from({ length: channelCount }, (_, channel) => {
    const parents: Parents = new Int32Array(rankCount);
    const speaker = (server: number): number => {
      const able = speakersOf(placement, server);
      return able[channel % able.length]!;
    };
    servers.forEach((places, server) => {
      parents[speaker(server)] = server === 0 ? isRoot : speaker(binaryTreeParent(server, servers.length, 0));
      connect(places, speaker(server), parents);
    });
    return parents;
  });
  return new Forest(rankCount, trees);
}

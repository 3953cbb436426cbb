// CollNet: the reduction between servers is done by switches (SHARP). In NCCL one GPU per NIC sends its server's sum to
// the network and gets the sum of all servers back. Direct: every GPU is responsible for a part of the buffer, to which
// the others of its server send theirs. Chain: the GPUs of a server form a chain to the one that speaks to the network.
// Gathers (direct): the block of a GPU goes into the network over the NIC of that GPU, the NIC of the same rail of
// every other server gets it, and that GPU passes it on to the others of its server; a reduce-scatter is that
// backwards. An allreduce is summed in the switches: every speaking GPU sends its server's sum into the network once
// and gets the sum of all servers once (tree-reduction.ts says how hosts stand for switches that are no places). So
// switches need not be named, and the network's latency counts once, as the tuner has it.
// Gathers have no sums: a binary tree over the speaking GPUs stands for the switches' multicast. Channels in turn take
// two trees, in which no server passes on in both: so a NIC sends about as many bytes as it receives, which is what it
// receives from switches.
// Source: NCCL's CollNet direct and chain (all_gather.h, reduce_scatter.h of 2.21 to 2.30); Graham et al., "Scalable
// Hierarchical Aggregation Protocol (SHARP)" (COMHPC 2016).

import { binaryTreeParent, chainFrom } from './double-binary-tree.js';
import { type Placement, speakersOf } from './communicator.js';
import { Forest, isRoot, type Parents } from './forest.js';
import type { Rails } from './tree-gather.js';

/** Channel c belongs to the GPUs that stand c-th in their servers: they collect, and speak for their servers. */
export function collnetDirectTrees(placement: Placement, channelCount: number): Forest {
  return speakersTrees(placement, channelCount, attach, starForm);
}

/** Channel c's chains begin at the GPUs that stand c-th in their servers. */
export function collnetChainTrees(placement: Placement, channelCount: number): Forest {
  return speakersTrees(
    placement,
    channelCount,
    (places, speaker, parents) => {
      const chain = chainFrom(places, places.indexOf(speaker));
      for (let i = 1; i < chain.length; i++) parents[chain[i]!] = chain[i - 1]!;
    },
    starForm,
  );
}

/** Speakers around the first server's: which one that is makes no difference to what they send. */
function starForm(tree: number): TreeForm {
  return { turn: tree, variant: 0, first: 0, isStar: true };
}

/** Rails for the blocks of a gather: the GPUs that speak for their servers, and those that share one with others. */
export function collnetRails(placement: Placement): Rails {
  const { servers, serverOf, localOf, rankCount } = placement;
  const speakers = servers.map((_, server) => speakersOf(placement, server));
  const count = speakers.reduce((most, { length }) => Math.max(most, length), 1);
  const railOf = Int32Array.from({ length: rankCount }, (_, place) => {
    const own = speakers[serverOf[place]!]!;
    const at = own.indexOf(place);
    return at >= 0 ? at : localOf[place]! % own.length;
  });
  return { count, railOf };
}

/**
 * For each channel a tree per rail: through its GPUs, and from each of them to the others of its server. Channels begin
 * at other servers, so that all of them pass on as much.
 */
export function collnetGatherTrees(placement: Placement, channelCount: number, railCount: number): Forest {
  const { length } = placement.servers;
  return speakersTrees(placement, channelCount * railCount, attach, (tree) => {
    const channel = Math.floor(tree / railCount);
    return {
      turn: tree % railCount,
      variant: channel % 2,
      first: Math.floor((channel * length) / channelCount),
      isStar: false,
    };
  });
}

/**
 * Network hops on the longest way: into the switches and back of an allreduce, from one server to another of a gather.
 */
export function collnetHops(servers: number, isGather: boolean): number {
  if (!isGather) return 2;
  // by server: hops to the farthest below; children come in any order, so from the deepest up
  const parents = Int32Array.from({ length: servers }, (_, server) =>
    server === 0 ? isRoot : binaryTreeParent(server, servers, 0),
  );
  const depth = Array.from(parents, (_, server) => {
    let hops = 0;
    for (let at = server; at > 0; at = parents[at]!) hops++;
    return hops;
  });
  const below = new Int32Array(servers);
  let longest = 1;
  const upwards = [...parents.keys()].sort((a, b) => depth[b]! - depth[a]!);
  for (const server of upwards) {
    if (server === 0) continue;
    const parent = parents[server]!;
    longest = Math.max(longest, below[parent]! + below[server]! + 1);
    below[parent] = Math.max(below[parent]!, below[server]! + 1);
  }
  return longest;
}

/** How a tree differs from others: whose turn it is to speak, which of two trees, and the server at its root. */
interface TreeForm {
  readonly turn: number;
  readonly variant: number;
  readonly first: number;
  /** all others below the root, instead of a binary tree */
  readonly isStar: boolean;
}

type Connect = (places: Int32Array, speaker: number, parents: Parents) => void;

function attach(places: Int32Array, speaker: number, parents: Parents): void {
  for (const place of places) if (place !== speaker) parents[place] = speaker;
}

function speakersTrees(
  placement: Placement,
  treeCount: number,
  connect: Connect,
  formOf: (tree: number) => TreeForm,
): Forest {
  const { servers, rankCount } = placement;
  const trees = Array.from({ length: treeCount }, (_, tree) => {
    const { turn, variant, first, isStar } = formOf(tree);
    const parents: Parents = new Int32Array(rankCount);
    const serverAt = (number: number): number => (number + first) % servers.length;
    const speakerAt = (number: number): number => {
      const able = speakersOf(placement, serverAt(number));
      return able[turn % able.length]!;
    };
    for (let number = 0; number < servers.length; number++) {
      const speaker = speakerAt(number);
      const above = number === 0 || isStar ? 0 : binaryTreeParent(number, servers.length, variant);
      parents[speaker] = number === 0 ? isRoot : speakerAt(above);
      connect(servers[serverAt(number)]!, speaker, parents);
    }
    return parents;
  });
  return new Forest(rankCount, trees);
}

// Why a backend is more than 5 % off, in words, and where that may be: by kind, algorithm, fabric and direction. A
// difference that no reason covers is an error of `npm run agreement`.
// Invariant: a reason names its limits, so that a new difference of another size or sign is not taken for it.

import type { AgreementCase } from './cases.js';

/** What is looked at: one cell of the table. */
export interface Difference {
  readonly of: AgreementCase;
  readonly backend: 'fluid' | 'analytical';
  readonly sizeBytes: number;
  /** 0.05: 5 % longer than packets */
  readonly difference: number;
}

export interface Reason {
  readonly letter: string;
  readonly title: string;
  readonly text: string;
  readonly covers: (cell: Difference) => boolean;
}

/** Differences up to this need no reason. */
export const agreed = 0.05;

const isChain = ({ algorithm, kind }: AgreementCase): boolean =>
  algorithm === 'ring' && (kind === 'broadcast' || kind === 'reduce');
const isTree = ({ algorithm }: AgreementCase): boolean =>
  algorithm === 'tree' || algorithm === 'collnet-chain' || algorithm === 'collnet-direct';

export const reasons: readonly Reason[] = [
  {
    letter: 'L',
    title: 'Channels in lockstep',
    text: 'Channels that begin together and cross links of one speed share each link evenly as streams: all of a step arrive at one time, and then all wait for the latency of the next step, with the link idle. Packets are sent in turn, a queue pair after the other; so one channel is a packet ahead, after some steps many, and sends while others wait for their latency. The more channels share a link and the nearer the time of their bytes to the latency, the larger the difference. Closed forms of rings of equal hops are those of streams.',
    covers: ({ of, difference }) =>
      difference > 0 &&
      difference < 0.3 &&
      of.profile === 'nccl' &&
      (of.algorithm === 'ring' || (isTree(of) && of.on.name !== '16 hosts')),
  },
  {
    letter: 'N',
    title: 'No latencies',
    text: 'Profile `simai` has 10 ns before a move over NVLink, so that small messages are nothing but packets: a step of eight channels is one or two packets each. As streams all of a step arrive together; packets follow each other, and the first goes on while the last still waits.',
    covers: ({ of, difference }) => of.profile === 'simai' && difference > 0 && difference < 0.7,
  },
  {
    letter: 'S',
    title: 'One slot',
    text: 'With one slot (profile `document`) a chunk leaves when the one before it has arrived, on every edge; the allgather along NVLS-trees has a chunk of every block on every edge at once, trees one from below and one from above. As streams they share the link and arrive together, and the link is idle while the next ones wait; packets take turns and drift apart, as above.',
    covers: ({ of, difference }) =>
      difference > 0 &&
      of.profile === 'document' &&
      (of.algorithm === 'nvls-tree' ? difference < 0.5 : isTree(of) && difference < 0.15),
  },
  {
    letter: 'G',
    title: "CollNet's gathers",
    text: 'Blocks of all GPUs go at once through trees that stand for the switches, and a GPU that passes on has several links of them. As streams all blocks share a link and arrive together; packets take turns, and the next hop begins earlier: the more so where a chunk waits for the one before it (`document`). The closed form takes the way of one block and the busiest port, so it misses that a block of a reduce-scatter waits for the summands of all others of its server.',
    covers: ({ of, backend, difference }) =>
      of.algorithm === 'collnet-direct' &&
      of.kind !== 'allreduce' &&
      (of.profile === 'document'
        ? difference > 0 && difference < 0.7
        : difference < 0.35 && (difference > 0 || (backend === 'analytical' && difference > -0.4))),
  },
  {
    letter: 'W',
    title: "A queue pair's window",
    text: 'One queue pair alone at 2.9 Tb/s over NVLink may have a round trip of data under way (`queuePair.window: pair-bdp`). Where every GPU sends and receives, acknowledgements wait behind data, the round trip is longer than that, and the queue pair pauses: up to a tenth of the time. With `queuePair.window=unlimited` the difference is that of the acknowledgements, 2 %.',
    covers: ({ of, difference }) =>
      difference < 0 &&
      difference > -0.12 &&
      of.on.name === '8 GPUs' &&
      (of.kind === 'sendrecv' || of.algorithm === 'halving-doubling'),
  },
  {
    letter: 'O',
    title: 'Order at ports',
    text: 'In a tree a place sends up and down, in double trees for two trees at once. Streams give each an even share of a link, so that what several wait for is there early. Packets of a chunk wait behind those of others that came before, at the NIC and again at the switch. Chunks come later at the next level. Acknowledgements, 2 %, come on top.',
    covers: ({ of, backend, difference }) =>
      difference < 0 &&
      difference > -0.2 &&
      (isTree(of) || isChain(of)) &&
      (backend === 'fluid' || of.on.name === '16 hosts'),
  },
  {
    letter: 'I',
    title: 'Overlap by interpolation',
    text: 'Where channels cross slow and fast links in turn, or use a link in different steps, latencies of one hide behind bytes of another. The closed form lies between the two extremes (nothing hidden, all hidden) by the root of the sum of squares, which no model of channels stands behind. Rings without a limit (profile `simai`) take the mean of their edges.',
    covers: ({ of, backend, difference }) =>
      backend === 'analytical' && Math.abs(difference) < 0.15 && of.profile !== 'document',
  },
  {
    letter: 'P',
    title: 'PAT backwards',
    text: 'The closed form of a reduce-scatter by PAT is that of the allgather; with several GPUs per server, where nobody chooses PAT, moves of its last steps meet at the same NICs, and it takes longer.',
    covers: ({ of, backend, difference }) =>
      backend === 'analytical' &&
      difference < 0 &&
      difference > -0.45 &&
      of.algorithm === 'pat' &&
      of.kind === 'reducescatter',
  },
];

/** The first reason that covers a difference; null if it needs none; undefined if none covers it. */
export function reasonOf(cell: Difference): Reason | null | undefined {
  return Math.abs(cell.difference) <= agreed ? null : reasons.find(({ covers }) => covers(cell));
}

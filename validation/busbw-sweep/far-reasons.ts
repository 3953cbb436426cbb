// Why NCCL's choice is not always the best in simulation: groups of rows that share a cause. A row that fits none counts as
// unexplained, and the page says how many there are.

import { isRight, type SweepRow } from './sweep.js';

interface FarReason {
  readonly holds: (row: SweepRow) => boolean;
  readonly text: string;
}

const isGather = ({ kind }: SweepRow): boolean => kind === 'allgather' || kind === 'reducescatter';
const isRooted = ({ kind }: SweepRow): boolean => kind === 'broadcast' || kind === 'reduce';

const farReasons: readonly FarReason[] = [
  {
    holds: ({ kind, how }) => kind === 'allreduce' && how.startsWith('nvls-tree '),
    text: "NVLS-tree on several servers: the tuner divides the whole buffer by a bandwidth and counts no way of a first round through NVSwitch, network, network and NVSwitch. The simulation has it, and so have clusters: B-05 of [measured](measured.md), 2 servers of 8 H100 that choose by themselves, is within 12 % of NVLS-tree here from 4 MiB on. The trees and rings that are best here are likely too fast: channels that run apart use each other's share of NVLink while they wait, where a GPU's channel has no more than the copies of its own SM.",
  },
  {
    holds: ({ kind, how }) => kind === 'allreduce' && how.startsWith('nvls '),
    text: 'NVLS in one server at 2 to 4 MiB: the tuner has no time of rounds; 8 H200 were seen to choose NVLS from 2 MiB on (A-02), and took less than here (A-08: 42.2 and 54.2 us).',
  },
  {
    holds: (row) => isGather(row) && row.how.startsWith('ring ll128 ') && row.best.startsWith('ring ll '),
    text: 'Gathers where LL and LL128 cross: the tuner has the two within a few percent (1 MiB over 16 GPUs: 48.5 and 47.6 us). It counts one hop between two servers, a block in simulation crosses two, and what posting takes for LL alone hides differently.',
  },
  {
    holds: (row) => isGather(row) && row.how.startsWith('ring ll ') && row.best.startsWith('ring ll128 '),
    text: 'Gathers with few channels: the tuner has LL at the bandwidth of all channels, but a small buffer gets one for every 4 KiB and rank, so that some progress threads rest; measured times rise the same way (B-03).',
  },
  {
    holds: (row) => isRooted(row) && row.how.startsWith('ring ll ') && row.best.startsWith('ring ll128 '),
    text: 'Broadcast and reduce with few channels: the same, small buffers get few channels with LL.',
  },
];

/** The rows that are far, by cause: how many, and why; the last one has no cause that is known, if there is one. */
export function reasonsOf(rows: readonly SweepRow[]): { readonly text: string; readonly rows: readonly SweepRow[] }[] {
  const far = rows.filter((row) => !isRight(row));
  const causeOf = (row: SweepRow): FarReason | undefined => farReasons.find(({ holds }) => holds(row));
  const known = farReasons.map((reason) => ({ text: reason.text, rows: far.filter((row) => causeOf(row) === reason) }));
  const unknown = far.filter((row) => causeOf(row) === undefined);
  return [...known, { text: 'No reason is known.', rows: unknown }].filter(({ rows: some }) => some.length > 0);
}

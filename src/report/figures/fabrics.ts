// The catalogue of what a fabric of `weft compare-fabrics` comes to, and of what it is made of. JSON, the columns of the
// tables and docs/formats/json-output.md follow: a new figure is one entry.

import type { Bill } from '../../fabric/bill-of-materials.js';
import type { FabricComparison } from '../fabric-comparison.js';
import { grouped, percentText } from '../text-style.js';
import { ofPart, plain, ratio, timePs, timeSeconds, whole, type FigureEntry, type FigureLook } from './figure.js';

/** A fabric among all that are compared. */
export interface FabricAmong extends FabricComparison {
  /** what tables call it */
  readonly label: string;
  readonly isOnly: boolean;
}

/** What is known only where the backend counts what links carry. @param read a share of 1, or a ratio */
function ofLinks(
  key: string,
  read: (fabric: FabricAmong) => number,
  says: string,
  look: FigureLook<FabricAmong, number | null | undefined> = {},
): FigureEntry<FabricAmong> {
  return ratio(key, (fabric) => (fabric.hasLoads ? read(fabric) : null), says, look);
}

const share = (value: number | null | undefined): string =>
  typeof value === 'number' ? percentText(value, 'few') : '-';

/** `8.0:1` or `1:8.0`: the larger one keeps its digits, where 0.04:1 would be 0.0:1. */
function ratioText(down: number, up: number): string {
  return down >= up ? `${(down / up).toFixed(1)}:1` : `1:${(up / down).toFixed(1)}`;
}

const sumOf = <Own>(own: readonly Own[], count: (one: Own) => number): number =>
  own.reduce((sum, one) => sum + count(one), 0);

function cablesOf(kind: string): FigureEntry<Bill> {
  return whole(kind, ({ cables }: Bill) => sumOf(cables, (own) => (own.kind === kind ? own.cables : 0)), '', {
    column: [kind, 7],
  });
}

/** The columns of the table of materials; the head of the last is the currency. */
export const materialColumns: readonly FigureEntry<FabricAmong>[] = [
  whole('gpus', '', { column: ['GPUs', 5] }),
  ...ofPart(
    ({ bill }: FabricAmong) => bill,
    [
      whole('switches', ({ switches }: Bill) => switches, '', { column: ['switches', 8] }),
      whole('ports', ({ ports }: Bill) => sumOf(ports, (own) => own.ports), '', { column: ['ports', 6] }),
      cablesOf('copper'),
      cablesOf('optics'),
      plain('watts', ({ watts }: Bill) => watts, '', {
        column: ['kW', 9, (watts) => (watts === null ? 'unknown' : (watts / 1000).toFixed(1))],
      }),
      plain('cost', ({ cost }: Bill) => cost, '', {
        column: ['', 11, (cost) => (cost === null ? 'unknown' : grouped(cost))],
      }),
    ],
  ),
];

/** Of a fabric, in the order of JSON; its columns in that of the table. */
export const fabricFigures: readonly FigureEntry<FabricAmong>[] = [
  plain('fabric', ({ name }) => name, 'as it was asked for'),
  whole('gpus', 'its GPUs'),
  timePs('totalNs', (fabric) => fabric.timePs, 'the end of the last job or flow', {
    lessIsBetter: true,
    column: ['time', 8],
  }),
  ratio('slower', 'that over the time of the fastest, less 1', {
    lessIsBetter: true,
    column: [
      'slower',
      9,
      (slower, { decided, isOnly }) => `${decided || isOnly ? '' : '~ '}${slower === 0 ? '-' : `+${share(slower)}`}`,
    ],
  }),
  plain('decided', 'whether its place lies [outside the error band](../models/bill-of-materials.md#too-close-to-call)'),
  ratio('taper', 'bandwidth into the leaf with the least out, over that out of it; `null`: nothing leads out'),
  whole('switches', ({ bill }) => bill.switches, 'outside servers'),
  whole('cables', ({ bill }) => sumOf(bill.cables, ({ cables }) => cables), 'outside servers'),
  plain(
    'cost',
    ({ bill }) => bill.cost,
    '[of these](../models/bill-of-materials.md#the-bill); `null`: something has no price',
  ),
  plain('watts', ({ bill }) => bill.watts, 'W that they take; `null` likewise'),
  plain(
    'bill',
    ({ bill: { models, ports, cables, unknown } }) => ({ models, ports, cables, unknown }),
    '`models[]` (`model`, `switches`, `ports`), `ports[]` (`rateBps`, `ports`), `cables[]` (`kind`, `rateBps`, `cables`), ' +
      '`unknown[]`: what has no price',
  ),
  timePs('exposedNs', ({ exposedPs }) => exposedPs, 'communication of the first rank that nothing hides', {
    lessIsBetter: true,
    column: ['waits', 8],
  }),
  ofLinks(
    'crossing',
    ({ crossing }) => crossing,
    'bytes that go up from their leaf, as a share of those that leave a host; `null`, like `heldUp`, `sharing` and ' +
      '`nicImbalance`, on a backend that does not count what links carry',
    { column: ['cross', 6, share] },
  ),
  ofLinks('heldUp', ({ heldUp }) => heldUp, 'bytes that links between switches held up, as a share of all', {
    column: ['held up', 7, share],
  }),
  ofLinks('sharing', ({ sharing }) => sharing, 'how many flows shared such a link', {
    column: ['shared', 6, (_, { sharing }) => (sharing === 0 ? '-' : sharing.toFixed(1))],
  }),
  plain('shape', ({ shape }) => shape, 'switches, ports and rates that the reason is made of', {
    column: ['leaf', 6, ({ downBps, upBps }) => (upBps === 0 ? '-' : ratioText(downBps, upBps))],
  }),
  ofLinks('nicImbalance', (own) => own.nicImbalance, 'what the fullest link of a GPU sent, over the mean of its links'),
  plain('links', ({ tiers }) => tiers, 'what each kind of link carried'),
  plain(
    'jobs',
    ({ jobs }) =>
      jobs.map(({ name, ranks, totalPs: { minimum, maximum } }) => ({
        name,
        ranks,
        totalNs: { minimum: minimum / 1000, maximum: maximum / 1000 },
      })),
    '`name`, `ranks` and `totalNs` (`minimum` and `maximum` over the ranks) of each',
  ),
  whole('flows', 'of the run'),
  timeSeconds('cpuSeconds', 'of the run', { role: 'cost' }),
  plain('digest', 'of its records'),
  plain('reason', 'why it took so long, in words'),
  plain('problems', 'self-checks that failed'),
];

// The best plans of several fabrics beside each other: which network a model needs, and what money buys.
// Invariants: what has no price has no cost; a fabric is said to be worth its price only for the time that it saves.
// The price of a GPU from which a dearer network pays: with GPUs at P each, G of them and networks of cost c and d < c, of
// which the cheaper one takes a share s longer, as much is done by (1 + s) G GPUs on the cheaper one. So
// P G + c = (1 + s) (P G + d), and P = (c - (1 + s) d) / (s G).

import { formatTimePs } from '../../base/units.js';
import type { Bill, Prices } from '../../fabric/bill-of-materials.js';
import type { ErrorBand } from '../band-classes.js';
import { shortFabricName } from '../fabric-comparison-text.js';
import { decidedOf, equalWithin } from '../fabric-verdict.js';
import { grouped, percentText } from '../text-style.js';
import { exposedOf, planName } from './plan-words.js';
import type { RankedPlan } from './ranked-plan.js';

/** A fabric with its best plan and what it costs. */
export interface PricedFabric {
  /** as it was asked for */
  readonly name: string;
  readonly best: RankedPlan;
  readonly gpus: number;
  readonly bill: Bill;
  /** in the currency of the prices; null: something has no price */
  readonly networkCost: number | null;
  /** 0: GPUs have no price */
  readonly gpuCost: number;
}

/** Training tokens in a second. */
function tokensPerSecond({ best: { training, times } }: PricedFabric): number {
  const { globalBatchSize, sequenceLength } = training.values;
  return (globalBatchSize * sequenceLength) / (times.totalPs / 1e12);
}

function costOf({ networkCost, gpuCost }: PricedFabric): number | null {
  return networkCost === null ? null : networkCost + gpuCost;
}

/** Tokens in a second for one unit of the currency; null: it has no cost. */
function tokensPerCost(fabric: PricedFabric): number | null {
  const cost = costOf(fabric);
  return cost === null || cost === 0 ? null : tokensPerSecond(fabric) / cost;
}

/** Time over that of the fastest, less 1, by fabric. */
function slowerBy(fabrics: readonly PricedFabric[]): number[] {
  const least = Math.min(...fabrics.map(({ best }) => best.times.totalPs));
  return fabrics.map(({ best }) => best.times.totalPs / least - 1);
}

/** The objects of `--json`. @param band of such times, or why there is none */
export function pricedFabricObjects(
  fabrics: readonly PricedFabric[],
  band: ErrorBand | string,
): Record<string, unknown>[] {
  const slower = slowerBy(fabrics);
  const decided = decidedOf(slower, band);
  return fabrics.map((fabric, i) => ({
    fabric: fabric.name,
    plan: planName(fabric.best),
    totalNs: fabric.best.times.totalPs / 1000,
    timedBy: fabric.best.times.model,
    slower: slower[i]!,
    decided: decided[i]!,
    exposedNs: exposedOf(fabric.best.times) / 1000,
    tokensPerSecond: tokensPerSecond(fabric),
    networkCost: fabric.networkCost,
    gpuCost: fabric.gpuCost,
    cost: costOf(fabric),
    tokensPerSecondPerCost: tokensPerCost(fabric),
    watts: fabric.bill.watts,
    switches: fabric.bill.switches,
    cables: fabric.bill.cables.reduce((sum, { cables }) => sum + cables, 0),
    unknown: fabric.bill.unknown,
  }));
}

/** Which network the model needs, in sentences. @param fabrics at least one */
export function networkSentence(fabrics: readonly PricedFabric[], { currency }: Pick<Prices, 'currency'>): string {
  const slower = slowerBy(fabrics);
  const fastest = fabrics[slower.indexOf(0)]!;
  const alike = fabrics.filter((_, i) => slower[i]! <= equalWithin);
  const priced = alike.filter((fabric) => costOf(fabric) !== null);
  if (fabrics.length === 1) return moneySentence(fastest, currency);
  const cheapest = priced.reduce<PricedFabric | null>(
    (best, own) => (best === null || costOf(own)! < costOf(best)! ? own : best),
    null,
  );
  const first = cheapest ?? fastest;
  const sentences = [
    alike.length === 1 || cheapest === null
      ? `${first.name} is the fastest; ${moneySentence(first, currency)}`
      : `${alike.length === fabrics.length ? 'On all of them' : `On ${alike.length} of them`} the best plan takes as long, within ${percentText(equalWithin)}; ${first.name} costs least: ${moneySentence(first, currency)}`,
  ];
  // of those that cost less the ones that nothing is both cheaper and faster than
  let least = costOf(first);
  const slowerOnes = fabrics
    .map((fabric, i) => ({ fabric, share: slower[i]! }))
    .filter(({ share }) => share > equalWithin)
    .sort((a, b) => a.share - b.share);
  for (const { fabric, share } of slowerOnes) {
    const cost = costOf(fabric);
    if (cost === null || least === null || cost >= least) continue;
    least = cost;
    sentences.push(
      `${fabric.name} takes ${percentText(share)} longer and ${tradeSentence(first, fabric, share, currency)}`,
    );
  }
  const dearer = slowerOnes.length + 1 - sentences.length;
  if (dearer > 0 && least !== null)
    sentences.push(
      `${dearer === 1 ? 'One takes' : `${dearer} take`} longer and ${dearer === 1 ? 'costs' : 'cost'} more than another, or ${dearer === 1 ? 'has' : 'have'} no known price.`,
    );
  return sentences.join(' ');
}

/** What one fabric costs and what that buys, with a full stop. */
function moneySentence(fabric: PricedFabric, currency: string): string {
  const cost = costOf(fabric);
  const perCost = tokensPerCost(fabric);
  if (cost === null) return `its cost is not known: no price for ${fabric.bill.unknown.join(', ')}.`;
  const what = fabric.gpuCost > 0 ? 'network and GPUs' : 'its network';
  const buys = perCost === null ? '' : `, ${(1000 * perCost).toPrecision(3)} tokens a second for 1,000 ${currency}`;
  return `${what} for ${grouped(cost)} ${currency}${buys}.`;
}

/** `saves 1,000 USD: …`, with a full stop. @param slower share that the cheaper one takes longer */
function tradeSentence(dear: PricedFabric, cheap: PricedFabric, slower: number, currency: string): string {
  const [more, less] = [costOf(dear)!, costOf(cheap)!];
  const saves = `costs ${grouped(more - less)} ${currency} less`;
  if (dear.gpuCost > 0) {
    const [a, b] = [tokensPerCost(dear)!, tokensPerCost(cheap)!];
    return `${saves}: it does ${percentText(Math.abs(b / a - 1))} ${b > a ? 'more' : 'less'} for its money.`;
  }
  const price = breakEvenGpuPrice(more, less, slower, dear.gpus);
  return price <= 0
    ? `${saves}, but does less for its money, whatever GPUs cost.`
    : `${saves}: the dearer network pays if a GPU costs more than ${grouped(price)} ${currency}.`;
}

/**
 * The price of a GPU from which the dearer of two networks pays.
 * @param dear cost of the one network @param cheap of the other @param slower share that this one takes longer, above 0
 */
export function breakEvenGpuPrice(dear: number, cheap: number, slower: number, gpus: number): number {
  return (dear - (1 + slower) * cheap) / (slower * gpus);
}

/** Fabrics beside each other. */
export interface PricedFabricTable {
  readonly heads: readonly string[];
  /** in the order in which they were named */
  readonly rows: readonly (readonly string[])[];
  /** of each row the name in it, that in full, and the best plan's */
  readonly named: readonly { readonly label: string; readonly name: string; readonly plan: string }[];
}

/** The table. @param band of such times, or why there is none */
export function pricedFabricTable(
  fabrics: readonly PricedFabric[],
  band: ErrorBand | string,
  { currency }: Pick<Prices, 'currency'>,
): PricedFabricTable {
  const slower = slowerBy(fabrics);
  const decided = decidedOf(slower, band);
  const labels = fabrics.map(({ name }, i) => shortFabricName(name, i));
  const rows = fabrics.map((fabric, i) => {
    const { best } = fabric;
    const cost = costOf(fabric);
    const perCost = tokensPerCost(fabric);
    return [
      labels[i]!,
      formatTimePs(best.times.totalPs),
      slower[i] === 0 ? '-' : `${decided[i]! ? '' : '~ '}+${percentText(slower[i]!)}`,
      percentText(exposedOf(best.times) / best.times.totalPs),
      cost === null ? 'unknown' : grouped(cost),
      perCost === null ? '-' : (1000 * perCost).toPrecision(3),
    ];
  });
  return {
    heads: ['fabric', 'time', 'slower', 'waits', currency, 'tokens/s/k'],
    rows,
    named: fabrics.map(({ name, best }, i) => ({ label: labels[i]!, name, plan: planName(best) })),
  };
}

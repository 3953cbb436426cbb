// What a fabric and its best plan come to: the bill of its network, or prices by the piece, and its GPUs.
// Invariant: prices by the piece (the block `cost` of a scenario) stand in place of the list where they price the network.

import { billOf, type Prices } from '../../fabric/bill-of-materials.js';
import type { PricedFabric } from '../../report/training-plans/priced-fabrics.js';
import type { RankedPlan } from '../../report/training-plans/ranked-plan.js';
import type { Plan } from '../../scenario/plan.js';

/** Prices a fabric. @param name as the user named it @param site of any job on it @param best plan there */
export function pricedFabric(
  name: string,
  { cost, fabric, given }: Pick<Plan, 'cost' | 'fabric' | 'given'>,
  best: RankedPlan,
  prices: Prices,
): PricedFabric {
  const bill = billOf(fabric, prices);
  const isByPiece = ['switch', 'port', 'cable'].some((part) => given.has(`cost.${part}`));
  return {
    name,
    best,
    gpus: fabric.hosts.length,
    bill,
    networkCost: isByPiece ? cost!.network : bill.cost,
    gpuCost: cost?.gpus ?? 0,
  };
}

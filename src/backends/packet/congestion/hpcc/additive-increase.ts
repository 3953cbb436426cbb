// HPCC's additive increase: what is added to a rate at every step so that flows that share a link become equal.
// Source: Li et al., SIGCOMM 2019, section 3.3: W_AI = W_init (1 - eta) / N for N flows that are expected on a link, so
// that all of them together add no more in a round trip than the headroom that the target leaves. W_init is the
// bandwidth-delay product of the NIC; as a rate, divided by the round trip: line rate x (1 - eta) / N.
// Invariant: of a fixed increase the share is 0, and the sum of both is that increase to the bit.
// Not modelled: an N that receivers report.

import type { HpccSettings } from './hpcc-settings.js';

/** An additive increase, for a sender of line rate B in bit/s: fixedBps + share x B. */
export interface AdditiveIncrease {
  readonly fixedBps: number;
  readonly share: number;
}

/** The additive increase that settings ask for: a given one, or that of the paper's rule. */
export function additiveIncreaseOf({
  additiveIncrease,
  expectedFlows,
  targetUtilisation,
}: Pick<HpccSettings, 'additiveIncrease' | 'expectedFlows' | 'targetUtilisation'>): AdditiveIncrease {
  return additiveIncrease === 'auto'
    ? { fixedBps: 0, share: (1 - targetUtilisation) / expectedFlows }
    : { fixedBps: additiveIncrease, share: 0 };
}

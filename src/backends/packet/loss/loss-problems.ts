// Settings of losses that no model can meet: a rate above that of one event after the other, an event whose parts do
// not fit, a channel that cannot be bad for so long.
// Invariant: without these problems every process has probabilities from 0 to 1.

import type { FoundProblem } from '../../backend-declaration.js';
import type { PacketSettings } from '../settings.js';
import { badShare, goodToBad } from './gilbert-elliott.js';
import { eventMixes, largestRate } from './loss-events.js';

/** What is wrong with the settings of the loss model that is chosen; nothing while it loses nothing. */
export function lossProblems({ loss: given, losses }: PacketSettings): FoundProblem[] {
  const largestGiven =
    losses.rates === null ? given.rate : losses.rates.reduce((most, rate) => Math.max(most, rate), 0);
  if (largestGiven === 0) return [];
  const loss = { ...given, rate: largestGiven };
  const mix = Object.hasOwn(eventMixes, loss.model) ? eventMixes[loss.model as keyof typeof eventMixes] : null;
  if (mix !== null) {
    const problems: FoundProblem[] = [];
    if (mix.burst > 0 && loss.burstSpread >= loss.burstLength)
      problems.push(
        problem('burstSpread', 'a burst could have no packet', `less than loss.burstLength, ${loss.burstLength}`),
      );
    if (mix.frequent > 0 && loss.frequentLeast > loss.frequentMost)
      problems.push(
        problem(
          'frequentLeast',
          'the fewest are more than the most',
          `at most loss.frequentMost, ${loss.frequentMost}`,
        ),
      );
    if (mix.frequent > 0 && loss.frequentMost > loss.frequentWindow)
      problems.push(
        problem(
          'frequentMost',
          'more packets are lost than an event has',
          `at most loss.frequentWindow, ${loss.frequentWindow}`,
        ),
      );
    const largest = largestRate(mix, loss);
    if (problems.length === 0 && loss.rate > largest)
      problems.push(
        problem('rate', `loss.model ${loss.model} loses no more, event after event`, `at most ${largest.toFixed(3)}`),
      );
    return problems;
  }
  if (loss.model !== 'gilbert-elliott') return [];
  if (loss.lossInBad <= loss.lossInGood)
    return [problem('lossInBad', 'a bad channel loses no more than a good one', 'more than loss.lossInGood')];
  const share = badShare(loss);
  if (share === null || share === 1)
    return [
      problem(
        'rate',
        'a channel that is good and bad in turn cannot have the rate',
        `from loss.lossInGood (${loss.lossInGood}) to below loss.lossInBad (${loss.lossInBad})`,
      ),
    ];
  return loss.badTime > 0 || goodToBad(loss) <= 1
    ? []
    : [
        problem(
          'badToGood',
          'the channel leaves the bad state too soon to have the rate',
          `at most ${((1 - share) / share).toPrecision(3)}`,
        ),
      ];
}

function problem(name: string, message: string, wanted: string): FoundProblem {
  return {
    severity: 'error',
    code: 'loss-settings',
    at: [
      ['loss', name],
      ['loss', 'rate'],
      ['loss', 'model'],
    ],
    message: `loss.${name}: ${message}`,
    wanted,
  };
}

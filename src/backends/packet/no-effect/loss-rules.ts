// When settings of losses cannot change what a run does.

import { NodeKind } from '../../../fabric/fabric.js';
import type { NoEffectRule, Situation } from '../../backend-declaration.js';
import { type EventMix, eventMixes } from '../loss/loss-events.js';
import { packetSettings } from '../settings.js';

/** Loss models that a setting is for, where it is not for all. */
const lossModelsOf: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(['burstLength', 'burstSpread'].map((name) => [name, modelsWith('burst')])),
  ...Object.fromEntries(
    ['frequentWindow', 'frequentLeast', 'frequentMost'].map((name) => [name, modelsWith('frequent')]),
  ),
  ...Object.fromEntries(['badToGood', 'badTime', 'lossInBad', 'lossInGood'].map((name) => [name, ['gilbert-elliott']])),
};

/** Models of events that have events of a kind. */
function modelsWith(kind: keyof EventMix): string[] {
  return Object.entries(eventMixes).flatMap(([name, mix]) => (mix[kind] > 0 ? [name] : []));
}

/** One of Weft's own, not one of another catalogue that has settings of its own. */
const hasOwnLossModel = ({ settings }: Situation): boolean =>
  (packetSettings.loss.model.choices as readonly string[]).includes(settings.loss.model);

/** Losses by a rate, and none that is above 0. */
const hasNoRate = ({ settings: { loss, losses } }: Situation): boolean =>
  !isListed(loss.model) && (losses.rates === null ? loss.rate === 0 : losses.rates.every((rate) => rate === 0));

/** A file names the losses. */
const isListed = (model: string): boolean => model === 'sequence' || model === 'time' || model === 'trace';

export const lossRules: readonly NoEffectRule[] = [
  {
    settings: Object.keys(packetSettings.loss)
      .filter((name) => name !== 'rate')
      .map((name) => `loss.${name}`),
    causes: ['loss.rate'],
    when: (situation) => hasOwnLossModel(situation) && hasNoRate(situation),
    because: 'loss.rate is 0',
  },
  ...Object.entries(lossModelsOf).map(([name, models]): NoEffectRule => ({
    settings: [`loss.${name}`],
    causes: ['loss.model'],
    when: (situation) => hasOwnLossModel(situation) && !models.includes(situation.settings.loss.model),
    because: ({ settings }) => `loss.model is ${settings.loss.model}`,
  })),
  {
    settings: ['loss.badToGood'],
    causes: ['loss.badTime'],
    when: ({ settings: { loss } }) => loss.model === 'gilbert-elliott' && loss.badTime > 0,
    because: 'loss.badTime has the channel change by time',
  },
  {
    settings: ['loss.rate'],
    causes: ['loss.model'],
    when: ({ settings }) => isListed(settings.loss.model),
    because: ({ settings }) => `loss.model ${settings.loss.model} takes what loss.file names`,
  },
  {
    settings: ['loss.at', 'loss.places'],
    causes: ['loss.model'],
    when: ({ settings }) => isListed(settings.loss.model) && settings.loss.model !== 'trace',
    because: 'loss.file names the switches',
  },
  {
    settings: ['loss.at'],
    causes: ['loss.places'],
    when: ({ settings }) => settings.losses.rates !== null,
    because: 'loss.places says where',
  },
  {
    settings: ['loss.file'],
    causes: ['loss.model'],
    when: (situation) => hasOwnLossModel(situation) && !isListed(situation.settings.loss.model),
    because: ({ settings }) => `loss.model is ${settings.loss.model}`,
  },
  {
    settings: ['loss.model', 'loss.rate', 'loss.packets'],
    causes: ['fabric', 'loss.at'],
    when: (situation) =>
      hasOwnLossModel(situation) &&
      situation.settings.losses.rates === null &&
      situation.settings.loss.at === 'switches' &&
      !situation.fabric.nodeKind.includes(NodeKind.switch),
    because: 'the fabric has no switches, at whose ports packets could be lost',
  },
];

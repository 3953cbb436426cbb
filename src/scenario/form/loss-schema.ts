// The forms of `loss` beside its settings: places, and the file that names losses (plan-losses.ts resolves them).

import * as z from 'zod';
import { fraction, type SettingGroup } from '../../base/settings.js';
import { linkForm } from './schema.js';
import { checked, leavesWithoutDefault, word } from './setting-schema.js';

/** What a line of `loss.places` may name, one of them. */
export const lossPlaceTargets = [
  { name: 'switch', description: 'all ports of a switch, by its name (spine[0]) or its node number' },
  { name: 'port', description: 'one port, by its node and interface (leaf[2]:3 or 16:3)' },
  { name: 'link', description: 'both ends of all links between two nodes (leaf[2]-spine[0] or 16-20)' },
] as const;

/** A line of `loss.places`, beside what it names. */
export const lossPlaceSettings = {
  rate: fraction(0, 'share of lost packets there, in place of loss.rate'),
} as const satisfies SettingGroup;

/** `loss.places` and `loss.file` */
export function lossForms(): Readonly<Record<string, z.ZodType>> {
  const targets = lossPlaceTargets.map(({ name, description }) => [name, placeName(description).optional()] as const);
  return {
    places: z
      .array(z.strictObject({ ...leavesWithoutDefault(lossPlaceSettings), ...Object.fromEntries(targets) }))
      .min(1)
      .optional()
      .meta({ description: 'the ports at which packets are lost as they come in, in place of loss.at' }),
    file: word(
      'file that names the losses of the models sequence, time and trace, relative to the scenario',
      'a path',
    ).optional(),
  };
}

/** A name of nodes and ports, or a number. */
function placeName(description: string): z.ZodType {
  return checked(
    (value) =>
      (typeof value === 'string' && value !== '') || (Number.isInteger(value) && (value as number) >= 0)
        ? null
        : { code: 'scenario-type', message: 'is not a name', wanted: linkForm },
    { type: ['string', 'integer'], description },
  );
}

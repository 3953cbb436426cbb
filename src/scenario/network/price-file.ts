// A file of prices (docs/formats/prices.md) -> prices by switch, rate and kind of cable.
// Invariant: a file with a mistake gives no prices; no price is taken from elsewhere for one that is missing.

import * as z from 'zod';
import { Diagnostics } from '../../base/diagnostics.js';
import { count, fraction, rate, type Setting } from '../../base/settings.js';
import { formatRateBps } from '../../base/units.js';
import type { Price, Prices, SwitchPrice } from '../../fabric/bill-of-materials.js';
import { builtInPriceText } from './built-in-prices.js';
import { checkForm } from '../form/form-problems.js';
import { errorAt, type Located, type LocatedList, nodeAt, placeOf } from '../form/located.js';
import { readYaml } from '../form/read-yaml.js';
import { valueAt, wordAt } from '../form/resolve.js';
import { leaf, word } from '../form/setting-schema.js';

const amount = (description: string) => fraction(0, description, { minimum: 0, maximum: 1e12 });

const priceSettings = {
  serversPerRack: count(4, 'servers of a rack, within which copper reaches', { minimum: 1, maximum: 1000 }),
  rate: rate('400Gbps', 'rate of a port or cable'),
  ports: count(64, 'ports of that rate', { minimum: 1, maximum: 100_000 }),
  split: count(1, 'slower ports into which one can be split; 1 = none', { minimum: 1, maximum: 64 }),
  price: amount('price of one'),
  watts: amount('watts that one draws; of a cable with both its ends'),
} as const satisfies Record<string, Setting>;

/** entries of a list */
const mostEntries = 1000;
const { rate: linkRate, ports, split, price, watts, serversPerRack } = priceSettings;
const cables = (description: string): z.ZodType =>
  z
    .array(z.strictObject({ rate: leaf(linkRate, true), price: leaf(price, true), watts: leaf(watts, true) }))
    .max(mostEntries)
    .meta({ description });
const priceSchema: z.ZodType = z.strictObject({
  currency: word('what prices are in, such as USD', 'a word'),
  date: word('of when the prices are', 'a date in quotes'),
  sources: word('where they come from, for people', 'text').optional(),
  serversPerRack: leaf(serversPerRack),
  switches: z
    .array(
      z.strictObject({
        name: word('what the switch is called', 'text'),
        rate: leaf(linkRate, true),
        ports: leaf(ports, true),
        split: leaf(split),
        price: leaf(price, true),
        watts: leaf(watts, true),
      }),
    )
    .max(mostEntries)
    .meta({ description: 'Switches' }),
  copper: cables('Copper cables, within a rack'),
  optics: cables('Optical cables with both their ends'),
});

/**
 * Reads a file of prices.
 * @param file its name, for messages and for what results call it
 * @returns null after at least one error
 */
export function readPrices(text: string, file: string, diagnostics: Diagnostics): Prices | null {
  const errorsBefore = diagnostics.errorCount;
  const root = readYaml(text, file, diagnostics);
  if (root === null) return null;
  if (root.kind !== 'map') {
    errorAt(diagnostics, 'prices-form', root.place, 'the prices are not made of keys and values', {
      wanted: 'currency, date, switches, copper and optics',
    });
    return null;
  }
  if (!checkForm(root, priceSchema, 'prices', diagnostics)) return null;
  const prices = {
    name: file,
    currency: wordAt(root, ['currency'])!,
    date: wordAt(root, ['date'])!,
    serversPerRack: valueAt(root, ['serversPerRack'], serversPerRack),
    switches: switchesOf(root, diagnostics),
    copper: cablesOf(root, 'copper', diagnostics),
    optics: cablesOf(root, 'optics', diagnostics),
  };
  return diagnostics.errorCount > errorsBefore ? null : prices;
}

/** The prices that come with Weft: estimates. */
export function builtInPrices(): Prices {
  const diagnostics = new Diagnostics();
  const prices = readPrices(builtInPriceText, 'built in', diagnostics);
  diagnostics.throwIfErrors();
  return prices!;
}

function rateAt(root: Located, path: readonly (string | number)[], diagnostics: Diagnostics): number {
  const rateBps = valueAt(root, [...path, 'rate'], linkRate) as number;
  if (rateBps === 0)
    errorAt(diagnostics, 'prices-rate', placeOf(root, [...path, 'rate']), 'nothing has a rate of 0', {
      wanted: 'a rate, such as 400Gbps',
    });
  return rateBps;
}

function switchesOf(root: Located, diagnostics: Diagnostics): SwitchPrice[] {
  const list = nodeAt(root, ['switches']) as LocatedList;
  return list.items.map((_, i) => ({
    name: wordAt(root, ['switches', i, 'name'])!,
    rateBps: rateAt(root, ['switches', i], diagnostics),
    ports: valueAt(root, ['switches', i, 'ports'], ports) as number,
    split: valueAt(root, ['switches', i, 'split'], split) as number,
    price: valueAt(root, ['switches', i, 'price'], price),
    watts: valueAt(root, ['switches', i, 'watts'], watts),
  }));
}

function cablesOf(root: Located, kind: 'copper' | 'optics', diagnostics: Diagnostics): Map<number, Price> {
  const list = nodeAt(root, [kind]) as LocatedList;
  const found = new Map<number, Price>();
  for (let i = 0; i < list.items.length; i++) {
    const rateBps = rateAt(root, [kind, i], diagnostics);
    if (found.has(rateBps))
      errorAt(diagnostics, 'prices-twice', placeOf(root, [kind, i, 'rate']), 'a rate has two prices', {
        got: formatRateBps(rateBps),
        wanted: 'every rate once',
      });
    found.set(rateBps, {
      price: valueAt(root, [kind, i, 'price'], price),
      watts: valueAt(root, [kind, i, 'watts'], watts),
    });
  }
  return found;
}

// Options of commands that set fabrics beside each other: their taper, and the prices that they are reckoned with.

import { type Diagnostics, reading } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import type { Prices } from '../../fabric/bill-of-materials.js';
import { builtInPrices, readPrices } from '../../scenario/network/price-file.js';
import { text, value } from './declared-command.js';
import { optionFileText } from './option-file.js';
import { readBy } from './option-values.js';

/** A ratio as `2:1` or `2`. */
const taperFrom = readBy((given) => {
  const [, over, under = '1'] = /^(\d+(?:\.\d+)?)(?::(\d+(?:\.\d+)?))?$/.exec(given.trim()) ?? [];
  const taper = Number(over) / Number(under);
  return taper >= 0.01 && taper <= 1000 ? taper : null;
}, 'a ratio: bandwidth into a leaf over that out of it, such as 1:1 or 2:1.');

/** The taper of families that are made by number of GPUs. */
export const taperOption = value(
  '--taper <ratio>',
  'bandwidth into a leaf over that out of it, at most',
  taperFrom,
  1,
).default(1, '"1:1"');

/** The file of prices. */
export const pricesOption = text(
  '--prices <file>',
  'prices of switches and cables (YAML) instead of the estimates\nthat come with Weft',
);

/** The prices of the bill. @param path of a file; undefined: those that come with Weft @throws InputError */
export async function pricesOf(path: string | undefined, host: Host): Promise<Prices> {
  if (path === undefined) return builtInPrices();
  const source = await optionFileText(path, host, {
    option: '--prices',
    called: 'the file of prices',
    wanted: 'a YAML file as docs/formats/prices.md has it',
  });
  return reading((diagnostics: Diagnostics) => readPrices(source, path, diagnostics)).value;
}

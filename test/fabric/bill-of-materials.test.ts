// What a fabric is made of and costs: counts by hand, prices of a file, and what has none.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { billOf, partCosts, type Prices } from '../../src/fabric/bill-of-materials.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { builtInPriceText } from '../../src/scenario/network/built-in-prices.js';
import { builtInPrices, readPrices } from '../../src/scenario/network/price-file.js';

const text = `currency: EUR
date: "2026-01"
serversPerRack: 2
switches:
  - { name: small, rate: 400Gbps, ports: 8, split: 2, price: 1000, watts: 100 }
  - { name: large, rate: 400Gbps, ports: 64, price: 5000, watts: 500 }
copper:
  - { rate: 400Gbps, price: 10, watts: 0 }
optics:
  - { rate: 400Gbps, price: 100, watts: 20 }
`;

function pricesOf(source: string): Prices {
  const diagnostics = new Diagnostics();
  const prices = readPrices(source, 'mine.yaml', diagnostics);
  diagnostics.throwIfErrors();
  return prices!;
}

const rate = { hostRate: '400Gbps', spineRate: '400Gbps' };

describe('the bill of a fabric', () => {
  it('counts switches, ports and cables, and prices them', () => {
    // four leaves of 4 hosts (one server each) and 4 spines; a leaf has 4 + 4 ports, a spine 4
    const fabric = generateFabric('leaf-spine', { leaves: 4, spines: 4, hostsPerLeaf: 4, gpusPerServer: 4, ...rate });
    const bill = billOf(fabric, pricesOf(text));
    expect(bill).toMatchObject({
      switches: 8,
      ports: [{ rateBps: 400e9, ports: 4 * 8 + 4 * 4 }],
      cables: [
        { kind: 'copper', rateBps: 400e9, cables: 16 },
        { kind: 'optics', rateBps: 400e9, cables: 16 },
      ],
      cost: 8 * 1000 + 16 * 10 + 16 * 100,
      watts: 8 * 100 + 16 * 20,
      unknown: [],
    });
  });

  it('is priced by one price for each kind of part', () => {
    // as above: 8 switches, 48 ports with a cable, 32 cables, 16 GPUs; cables within servers are none
    const fabric = generateFabric('leaf-spine', { leaves: 4, spines: 4, hostsPerLeaf: 4, gpusPerServer: 4, ...rate });
    expect(partCosts(fabric, { switch: 1_000_000, port: 10_000, cable: 100, gpu: 1 })).toEqual({
      network: 8_483_200,
      gpus: 16,
    });
  });

  it('has copper for hosts in the rack of their leaf alone', () => {
    // four servers of 2 on each leaf, two to a rack: half of the hosts are a rack away
    const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 1, hostsPerLeaf: 8, gpusPerServer: 2, ...rate });
    expect(billOf(fabric, pricesOf(text)).cables).toEqual([
      { kind: 'copper', rateBps: 400e9, cables: 8 },
      { kind: 'optics', rateBps: 400e9, cables: 8 + 2 },
    ]);
  });

  it('splits ports where a model can', () => {
    // 16 ports of 200 Gb/s down and none but one up: 8 ports of small for the hosts leave no port for the spine
    const fabric = generateFabric('leaf-spine', {
      leaves: 1,
      spines: 1,
      hostsPerLeaf: 16,
      hostRate: '200Gbps',
      spineRate: '400Gbps',
    });
    const models = billOf(fabric, pricesOf(text)).models.map(({ model, switches }) => [model, switches]);
    expect(models).toEqual([
      ['large', 1],
      ['small', 1],
    ]);
  });

  it.each([
    [{ hostRate: '800Gbps' }, /a switch of 8 ports, the fastest of 800Gbps/],
    [{ hostRate: '100Gbps' }, /copper of 100Gbps/],
    [{ hostsPerLeaf: 64 }, /a switch of 68 ports/],
  ])('has no cost where something has no price: %j', (other, what) => {
    const fabric = generateFabric('leaf-spine', { leaves: 4, spines: 4, hostsPerLeaf: 4, ...rate, ...other });
    const { cost, watts, unknown } = billOf(fabric, pricesOf(text));
    expect({ cost, watts }).toEqual({ cost: null, watts: null });
    expect(unknown.join('; ')).toMatch(what);
  });

  it('leaves what is inside servers out', () => {
    const bare = billOf(generateFabric('spectrum-x', { gpus: 16, nvswitchesPerServer: 0 }), builtInPrices());
    const full = billOf(generateFabric('spectrum-x', { gpus: 16, nvswitchesPerServer: 4 }), builtInPrices());
    expect(full).toEqual(bare);
    expect(full.cables.reduce((sum, { cables }) => sum + cables, 0)).toBe(16 + 8 * 64);
  });
});

describe('a file of prices', () => {
  it('comes with Weft, and is on its page', () => {
    const page = readFileSync(new URL('../../docs/formats/prices.md', import.meta.url), 'utf8');
    expect(page).toContain(builtInPriceText);
    expect(builtInPrices().switches.length).toBeGreaterThan(3);
  });

  it.each([
    ['optics:\n  - { rate: 400Gbps', 'optics:\n  - { rate: 400Gb', /mine\.yaml:10:13: error: optics\[0\]\.rate/],
    ['price: 1000', 'price: cheap', /mine\.yaml:5:\d+: error: switches\[0\]\.price/],
    ['price: 1000', 'price: -1', /mine\.yaml:5:\d+: error: switches\[0\]\.price/],
    ['currency: EUR\n', '', /mine\.yaml[^]*currency is missing/],
    [
      'watts: 20 }\n',
      'watts: 20 }\n  - { rate: 400Gbps, price: 1, watts: 1 }\n',
      /mine\.yaml:11:\d+: error: a rate has two prices/,
    ],
    ['copper:', 'coper:', /did you mean copper\?/],
  ])('is refused with its place: %s -> %s', (from, to, message) => {
    expect(() => pricesOf(text.replace(from, to))).toThrow(message);
  });
});

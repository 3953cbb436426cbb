// Properties: what is written is read back; no text, however broken, gives anything but a fabric or positioned errors.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { FabricBuilder, type Fabric, type NodeKind } from '../../src/fabric/fabric.js';
import { fabricFamilies, generateFabric } from '../../src/fabric/generators/catalogue.js';
import { readTopology } from '../../src/formats/simai-topology.js';
import { writeTopology } from '../../src/formats/simai-topology-text.js';
import { rounds } from '../support/rounds.js';
import { readAnything } from '../support/read-anything.js';
import { seed } from '../support/seed.js';

const rateBps = fc.oneof(
  fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  fc.double({ min: 1, max: 1e15, noNaN: true }),
  fc.integer({ min: 1, max: 800 }).map((gigabits) => gigabits * 1e9),
);
const link = fc.record({
  a: fc.nat(),
  b: fc.nat(),
  rateBps,
  latencyPs: fc.maxSafeNat(),
  errorRate: fc.double({ min: 0, max: 1, noNaN: true }).map((p) => p + 0),
});

/** Nodes of any kinds in any order (the first is a host), and links between them. */
const anyFabric: fc.Arbitrary<Fabric> = fc
  .record({
    kinds: fc.array(fc.constantFrom<NodeKind>(0, 0, 1, 2), { maxLength: 12 }),
    links: fc.array(link, { maxLength: 20 }),
    gpusPerServer: fc.integer({ min: 1, max: 9 }),
    gpuType: fc.constantFrom('', 'H100', 'x-9'),
  })
  .map(({ kinds, links, gpusPerServer, gpuType }) => {
    const builder = new FabricBuilder(gpusPerServer, gpuType);
    for (const kind of [0 as const, ...kinds]) builder.addNode(kind);
    const n = builder.nodeCount;
    for (const { a, b, ...rest } of n < 2 ? [] : links) {
      const first = a % n;
      builder.addLink(first, (first + 1 + (b % (n - 1))) % n, rest.rateBps, rest.latencyPs, rest.errorRate);
    }
    return builder.build();
  });

const read = (text: string): Fabric | null =>
  readAnything(text, (any, diagnostics) => readTopology(any, 'f', diagnostics));

it(`a fabric that is written and read is the same fabric (WEFT_SEED=${seed})`, () => {
  fc.assert(
    fc.property(anyFabric, (fabric) => {
      const text = writeTopology(fabric);
      const again = read(text);
      expect(again).toEqual(fabric);
      expect(writeTopology(again!)).toBe(text);
    }),
    { seed, numRuns: rounds(200) },
  );
});

it(`a file with a few characters changed gives a fabric or errors (WEFT_SEED=${seed})`, () => {
  const base = writeTopology(generateFabric('dcn+', { gpus: 8, gpusPerServer: 4, nicsPerAsw: 4, pswSwitches: 2 }));
  const edit = fc.record({
    at: fc.nat(base.length),
    drop: fc.nat(6),
    insert: fc.string({
      unit: fc.constantFrom('0', '1', '9', '-', '.', 'e', 'G', ' ', '\n', '#', '\r', 'x', '\u2028', '\ufeff', '😀'),
      maxLength: 6,
    }),
  });
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
      let text = base;
      for (const { at, drop, insert } of edits) text = text.slice(0, at) + insert + text.slice(at + drop);
      const fabric = read(text);
      if (fabric !== null) expect(read(writeTopology(fabric))).toEqual(fabric);
    }),
    { seed, numRuns: rounds(500) },
  );
});

it(`any text at all gives a fabric or errors (WEFT_SEED=${seed})`, () => {
  const word = fc.oneof(
    fc.nat(30).map(String),
    fc.constantFrom('1Gbps', '1us', '0', '0.5', 'H100', '\n', '#', '1e9', '999999999999'),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), (words) => {
      read(words.join(' '));
    }),
    { seed, numRuns: rounds(500) },
  );
});

it(`small generated fabrics of every family are written and read back (WEFT_SEED=${seed})`, () => {
  const small: Record<string, unknown>[] = [
    { gpus: 16, nicsPerAsw: 2 },
    { gpus: 24, nvswitchesPerServer: 3, errorRate: 0.01 },
    { k: 4 },
    { leaves: 3 },
    { leftHosts: 7 },
  ];
  fc.assert(
    fc.property(fc.constantFrom(...fabricFamilies), fc.constantFrom(...small), (family, given) => {
      const known = Object.keys(given).every((key) => Object.hasOwn(family.settings, key));
      fc.pre(known);
      const fabric = generateFabric(family.name, given);
      expect(read(writeTopology(fabric))).toEqual(fabric);
    }),
    { seed, numRuns: 20 },
  );
});

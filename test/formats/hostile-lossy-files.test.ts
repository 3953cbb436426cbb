// Files of flows, losses, drop switches, htsim and configs that hold anything: a value or errors with a place inside the
// text, never an exception.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { Diagnostics, InputError } from '../../src/base/diagnostics.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { flowFileForm, noFlowFileFacts } from '../../src/formats/flow-file.js';
import { readHtsimTopology } from '../../src/formats/htsim-topology.js';
import { readLossPattern, readSequenceLosses, readTimeLosses } from '../../src/formats/loss-files.js';
import { scanTrace } from '../../src/formats/trace-source.js';
import { readDropSwitches } from '../../src/scenario/foreign/hpcc/drop-switches.js';
import { hpccKeys } from '../../src/scenario/foreign/hpcc/config-keys.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { readAnything } from '../support/read-anything.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

const words = [
  '0',
  '1',
  '2',
  '99',
  '1e9',
  '-1',
  'x',
  '__proto__',
  'constructor',
  '',
  '#',
  '->',
  '0->1',
  '[',
  ']',
  '[all]',
];
const names = ['Nodes', 'Tiers', 'Podsize', 'Tier', 'Radix_Down', 'Radix_Up', 'Downlink_speed_Gbps', 'Connections'];
const more = [
  'Downlink_Latency_ns',
  'start',
  'size',
  'trigger',
  '[1-5]',
  '2,',
  '0,',
  '\uFEFF',
  '\0',
  '2.5',
  '3 1 2',
  '\r',
];
const word = fc.oneof(fc.constantFrom(...words, ...names, ...more), fc.string({ maxLength: 4 }));
const text = fc
  .array(
    fc.array(word, { maxLength: 7 }).map((line) => line.join(' ')),
    { maxLength: 9 },
  )
  .map((lines) => lines.join('\n'));
const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 1, hostsPerLeaf: 2 });
const options = { seed, numRuns: rounds(300) };

/** A reader that gives a list, which is no value where there are errors. */
function list<Line>(read: (text: string, file: string, diagnostics: Diagnostics) => Line) {
  return (given: string): void => {
    readAnything(given, (whole, diagnostics) => {
      const lines = read(whole, 'f.txt', diagnostics);
      return diagnostics.hasErrors ? null : lines;
    });
  };
}

it.each([
  ['losses by sequence number', list(readSequenceLosses)],
  ['losses by time', list(readTimeLosses)],
  ['drop switches', list(readDropSwitches)],
  ['a topology of htsim', list(readHtsimTopology)],
])(`%s (WEFT_SEED=${seed})`, (_, read) => {
  fc.assert(fc.property(text, read), options);
});

it(`a pattern of losses (WEFT_SEED=${seed})`, () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const diagnostics = new Diagnostics();
      const pattern = readLossPattern(bytes, 'f.txt', diagnostics);
      expect(diagnostics.hasErrors).toBe(pattern.length === 0);
      expect(pattern.every((digit) => digit <= 1)).toBe(true);
    }),
    options,
  );
});

/** What a flow file comes to that comes in pieces. */
async function found(given: string, size: number): Promise<unknown> {
  const bytes = new TextEncoder().encode(given);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
  }
  const diagnostics = new Diagnostics();
  const form = flowFileForm(noFlowFileFacts());
  const scan = await scanTrace(pieces(), 'f.txt', fabric, diagnostics, undefined, undefined, form);
  for (const { line } of diagnostics.list) expect(line).toBeLessThanOrEqual(given.split('\n').length);
  return [scan.rows, scan.totalBytes, diagnostics.list];
}

it(`flows and connections, whatever the pieces (WEFT_SEED=${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (given, size) => {
      expect(await found(given, size)).toEqual(await found(given, 1e6));
    }),
    { seed, numRuns: rounds(150) },
  );
});

it(`a config gives a plan or an InputError (WEFT_SEED=${seed})`, async () => {
  const value = fc.oneof(
    fc.constantFrom('0', '1', '9', '0.5', '1e300', '64Gb/s', '1 100000000000 5', '-1', 'x', '', '0 0 0', 'lossrate'),
    fc.constantFrom('seqnum', 'timestep', 'none', 't.txt', 'f.txt', 'd.txt', 'missing.txt'),
    fc.string({ maxLength: 6 }),
  );
  const line = fc
    .tuple(fc.oneof(fc.constantFrom(...Object.keys(hpccKeys)), fc.string({ maxLength: 5 })), value)
    .map(([key, given]) => `${key} ${given}`);
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
      const host = memoryHost({
        'c.txt': `TOPOLOGY_FILE t.txt\nFLOW_FILE f.txt\n${lines.join('\n')}`,
        't.txt': '3 1 2\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n',
        'f.txt': '1\n1 2 3 10 2\n',
        'd.txt': '0 [all]\n',
      });
      await makePlan('c.txt', { host, overrides: [] }).catch((error: unknown) => {
        if (!(error instanceof InputError)) throw error;
      });
    }),
    { seed, numRuns: rounds(60) },
  );
});

// Property: what ncclFlowModel_EndToEnd.csv says is read back as it was written, and any text gives figures or a
// positioned error.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import {
  readEndToEnd,
  writeEndToEnd,
  type EndToEnd,
  type EndToEndLayer,
  type EndToEndPass,
} from '../../src/formats/simai-end-to-end.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

const name = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_.-]{0,20}$/);
/** microseconds, exact to the picosecond */
const time = fc.nat(2 ** 31 - 1).map((ps) => ps / 1e6);
const whole = fc.nat(2 ** 31 - 1);
const pass: fc.Arbitrary<EndToEndPass> = fc.record({
  computeUs: time,
  exposedUs: time,
  communicationUs: time,
  algorithmBandwidth: time,
  busBandwidth: time,
});
const layer: fc.Arbitrary<EndToEndLayer> = fc.record({
  name,
  forward: pass,
  inputGradient: pass,
  weightGradient: pass,
  finishedUs: time,
});
const figures: fc.Arbitrary<EndToEnd> = fc.record({
  run: name,
  exposedUs: fc.record({ DP: whole, DP_EP: whole, TP: whole, EP: whole, PP: whole }),
  bubbleUs: whole,
  layers: fc.array(layer, { minLength: 1, maxLength: 5 }),
  totalExposedUs: time,
  totalComputeUs: time,
  totalUs: time,
});

it(`EndToEnd files survive writing and reading (WEFT_SEED=${seed})`, () => {
  fc.assert(
    fc.property(figures, (given) => {
      const diagnostics = new Diagnostics();
      expect(readEndToEnd('f', writeEndToEnd(given), diagnostics)).toEqual(given);
      expect(diagnostics.list).toEqual([]);
    }),
    { seed, numRuns: rounds(100) },
  );
});

it(`a damaged file gives figures or a positioned error, never an exception (WEFT_SEED=${seed})`, () => {
  fc.assert(
    fc.property(figures, fc.nat(), fc.nat(40), fc.string({ maxLength: 10 }), (given, at, cut, put) => {
      const text = writeEndToEnd(given);
      const from = at % text.length;
      const diagnostics = new Diagnostics();
      const read = readEndToEnd('f', text.slice(0, from) + put + text.slice(from + cut), diagnostics);
      expect(read === null).toBe(diagnostics.hasErrors);
      const lines = text.split('\n').length + 10;
      for (const { line } of diagnostics.list) expect(line).toBeLessThanOrEqual(lines);
    }),
    { seed, numRuns: rounds(200) },
  );
});

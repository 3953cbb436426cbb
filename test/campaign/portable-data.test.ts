// Data that goes to other machines: equal when it comes back, and refused if it is none of ours.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { portableData, portableText } from '../../src/campaign/portable-data.js';
import { seed } from '../support/seed.js';

const plain = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.integer(),
    fc.double(),
    fc.constantFrom(NaN, Infinity, -Infinity, -0),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(
      fc.string().filter((key) => !['__proto__', '$map', '$number'].includes(key)),
      tie('any'),
      { maxKeys: 4, noNullPrototype: true },
    ),
    fc.array(fc.tuple(fc.string(), tie('any')), { maxLength: 4 }).map((pairs) => new Map(pairs)),
  ),
})).any;

describe('portable data', () => {
  it(`comes back as it went (seed ${seed})`, () => {
    fc.assert(
      fc.property(plain, (data) => {
        expect(portableData(portableText(data))).toEqual(data);
      }),
      { seed },
    );
  });

  it('is refused if a map or a number is none', () => {
    for (const text of [
      '{"$map":1}',
      '{"$map":[1]}',
      '{"$map":[[1,2,3]]}',
      '{"$number":1}',
      '{"$number":"1"}',
      '{',
      '',
    ])
      expect(() => portableData(text)).toThrow(SyntaxError);
  });
});

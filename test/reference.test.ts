// The folder of the reference data: a mistyped name is an error, a default that is not there is none.

import { expect, it } from 'vitest';
import { referenceFolder } from '../validation/repository.js';

it('is what WEFT_REFERENCE names, or the default', () => {
  expect(referenceFolder('test')).toMatchObject({ present: true, path: expect.stringMatching(/\/test$/) as unknown });
  for (const unset of [undefined, '']) expect(referenceFolder(unset).path).toMatch(/[\\/]shared[\\/]reference$/);
});

it('must be there if it is named', () => {
  expect(() => referenceFolder('../no-such-reference')).toThrow(
    /^WEFT_REFERENCE is \.\.\/no-such-reference, but there is no \/.*unset it to skip/,
  );
});

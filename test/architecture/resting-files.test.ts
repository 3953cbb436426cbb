// The long files of which a run of the whole suite takes some: a name of no file would leave out nothing.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../support/page-clone.js';
import { longFiles } from '../support/resting-files.js';

it.each(longFiles)('%s is a file', (file) => {
  expect(existsSync(join(root, file))).toBe(true);
});

it('stand once', () => {
  expect(new Set(longFiles).size).toBe(longFiles.length);
});

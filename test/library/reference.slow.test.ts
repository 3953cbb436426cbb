// The reference of the library can be made: every type that its entries use is one of theirs, or is said to be kept back
// (typedoc.json). Nothing is written.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('is complete', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const typedoc = ['node_modules/typedoc/bin/typedoc', '--emit', 'none', '--logLevel', 'Warn'];
  const { status, stdout, stderr } = spawnSync(process.execPath, typedoc, { cwd: root, encoding: 'utf8' });
  expect({ status, complaints: `${stdout}${stderr}` }).toEqual({ status: 0, complaints: '' });
});

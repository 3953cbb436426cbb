// The version of this installation, read from its package.json: written down in one place only.

import { readFileSync } from 'node:fs';
import { fail } from '../base/fail.js';

/** Version of the package that this file belongs to. */
export function weftVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  if (
    typeof manifest === 'object' &&
    manifest !== null &&
    'version' in manifest &&
    typeof manifest.version === 'string'
  )
    return manifest.version;
  return fail('package.json has no version');
}

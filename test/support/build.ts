// Builds what tests run, where sources are newer.

import { spawnSync } from 'node:child_process';

export default function build(): void {
  const { status } = spawnSync(process.execPath, ['setup.mjs', '--quiet'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the sources cannot be built');
}

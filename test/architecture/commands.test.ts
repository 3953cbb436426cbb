// Commands translate: options to the request of an operation, its result to text. What computes is in app, what prints
// in report, what stores in storage, what reads that in stored-runs. The parts of the engine that commands still reach for themselves are listed, so that
// the list can only become shorter.

import { readdirSync, readFileSync } from 'node:fs';
import { posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const cli = fileURLToPath(new URL('../../src/cli', import.meta.url));

/** folders that any command may import */
const ofAllCommands = new Set(['base', 'app', 'report', 'storage', 'stored-runs', 'campaign', 'scenario']);

/** Which commands (or files of the frame) import another folder of src. */
const stillReached: Readonly<Record<string, readonly string[]>> = {
  backends: ['calibrate', 'options', 'run'],
  collectives: ['calibrate', 'collective', 'options', 'run', 'traffic'],
  fabric: ['analyze', 'calibrate', 'collective', 'compare-fabrics', 'options', 'route', 'topology'],
  flows: ['analyze', 'route', 'run', 'trace', 'traffic'],
  formats: ['analyze', 'flow-graph-file.ts', 'route', 'run', 'topology', 'trace', 'traffic', 'workload'],
  jobs: ['workload'],
  measurement: ['collective', 'run'],
  optimization: ['route'],
  records: ['analyze', 'demo', 'run'],
  routing: ['route', 'topology'],
  solvers: ['route'],
  'source-flow-control': ['sfc'],
  workload: ['workload'],
};

it('import inner folders of src only where that is known', () => {
  const reached = new Map<string, Set<string>>();
  for (const entry of readdirSync(cli, { recursive: true, encoding: 'utf8' })) {
    const path = entry.split(sep).join('/');
    if (!path.endsWith('.ts')) continue;
    const command = path.replace(/\/.*/, '');
    for (const [, spec] of readFileSync(`${cli}/${path}`, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']*)'/g)) {
      const [folder = ''] = posix.join('cli', posix.dirname(path), spec!).split('/');
      if (folder === 'cli' || ofAllCommands.has(folder)) continue;
      reached.set(folder, (reached.get(folder) ?? new Set()).add(command));
    }
  }
  const found = [...reached].map(([folder, commands]) => [folder, [...commands].sort()] as const);
  expect(Object.fromEntries(found)).toEqual(stillReached);
});

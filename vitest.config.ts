import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { restingFiles } from './test/support/resting-files.js';

const built = fileURLToPath(new URL('dist/', import.meta.url));
// Builds where sources are newer.
const setup = fileURLToPath(new URL('setup.mjs', import.meta.url));
if (spawnSync(process.execPath, [setup, '--quiet'], { stdio: 'inherit' }).status !== 0)
  throw new Error('the sources cannot be built');

/** Whether a file is one of the pages. */
function isLong({ moduleId }: TestSpecification): boolean {
  return /architecture\/[\w-]+\.slow\.test\.ts$/.test(moduleId);
}

/** Begins with the pages, which take minutes: small files come last else, and one worker waits for the other. */
class PagesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

// Tests named *.slow.test.ts run in `npm test` alone; `npm run check` leaves them out.
export default defineConfig({
  // Tests run what was built, as users do: modules of Node, which start and run faster than ones made by the test runner.
  resolve: {
    alias: [
      { find: /^(?:\.\.\/)+src\/(.*)\.js$/, replacement: `${built}$1.js` },
      { find: /^(?:\.\.\/)+(bench|validation|web)\/(.*)\.js$/, replacement: `${built}$1/$2.js` },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...restingFiles()],
    server: { deps: { external: [/\/dist\//] } },
    globalSetup: [
      'test/reference.ts',
      'test/support/live-opensm.ts',
      'test/support/chromium.ts',
      'test/support/pandas.ts',
      'test/support/slurm.ts',
      'test/support/live-redis.ts',
    ],
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    maxWorkers: 2,
    sequence: { sequencer: PagesFirst },
    // Files of a worker share its modules: half the CPU time. They may, since src has no mutable module state and tests
    // clean up after themselves.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
});

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Tests named *.slow.test.ts run in `npm test` alone; `npm run check` leaves them out.
export default defineConfig({
  // what validation/ imports from the build, tests take from the sources
  resolve: {
    alias: [{ find: /^#weft\/(.*)\.js$/, replacement: `${fileURLToPath(new URL('src/', import.meta.url))}$1.ts` }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: [
      'test/reference.ts',
      'test/support/live-opensm.ts',
      'test/support/chromium.ts',
      'test/support/pandas.ts',
    ],
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    maxWorkers: 2,
    // Files of a worker share its modules: half the CPU time. They may, since src has no mutable module state and tests
    // clean up after themselves.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
});

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const built = fileURLToPath(new URL('dist/', import.meta.url));

// Tests named *.slow.test.ts run in `npm test` alone; `npm run check` leaves them out.
export default defineConfig({
  // Tests run what was built, as users do: modules of Node, which start and run faster than ones made by the test runner.
  resolve: {
    alias: [
      { find: /^(?:\.\.\/)+src\/(.*)\.js$/, replacement: `${built}$1.js` },
      { find: /^(?:\.\.\/)+(bench|validation)\/(.*)\.js$/, replacement: `${built}$1/$2.js` },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    server: { deps: { external: [/\/dist\//] } },
    globalSetup: [
      'test/support/build.ts',
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

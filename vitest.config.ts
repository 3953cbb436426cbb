import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Tests named *.slow.test.ts run in `npm test` alone; `npm run check` leaves them out.
export default defineConfig({
  // what validation/ imports from the build, tests take from the sources
  resolve: { alias: [{ find: /^#weft\/(.*)\.js$/, replacement: `${fileURLToPath(new URL('src/', import.meta.url))}$1.ts` }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/reference.ts', 'test/support/live-opensm.ts'],
    testTimeout: 60_000,
    maxWorkers: 2,
  },
});

import { defineConfig } from 'vitest/config';

// Tests named *.slow.test.ts run in `npm test` alone; `npm run check` leaves them out.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/reference.ts'],
    testTimeout: 60_000,
    maxWorkers: 2,
  },
});

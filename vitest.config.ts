import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    setupFiles: ['test/support/strict-github.ts'],
    include: ['test/**/*.test.ts'],
    // For what hangs. A loaded machine needs twenty seconds for what takes two.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});

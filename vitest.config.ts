import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    setupFiles: ['packages/playground/test/support/strict-github.ts'],
    include: ['test/**/*.test.ts'],
    // For what hangs: a loaded machine needs a minute for what takes two seconds. No test has less than this.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    maxWorkers: 2,
  },
});

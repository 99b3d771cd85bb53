import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    setupFiles: ['test/support/strict-github.ts'],
    include: ['test/**/*.test.ts'],
    // Limits for tests that hang. A busy machine may need a minute for what takes two seconds.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    maxWorkers: 2,
  },
});

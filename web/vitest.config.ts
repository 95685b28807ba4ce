import { defineConfig } from 'vitest/config'

// Two cores and real browsers: few files at a time, and patience. A browser that was starved gets another try.
export default defineConfig({
  test: {
    include: ['**/*.test.ts', '**/*.test.tsx'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    maxWorkers: 2,
    retry: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
})

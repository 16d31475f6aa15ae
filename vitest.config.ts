import { defineConfig } from 'vitest/config';

/** One project per test tier. Real processes and devices are shared by the machine, so those tiers run their files one after another. */
const tier = (name: string, include: string[], oneByOne = true) => ({
  test: {
    name,
    include,
    testTimeout: oneByOne ? 120_000 : 20_000,
    hookTimeout: 120_000,
    fileParallelism: !oneByOne,
  },
});

export default defineConfig({
  test: {
    reporters: ['default', './tools/tier-reporter.ts'],
    projects: [
      tier('unit', ['bench/**/*.test.ts', 'src/**/*.test.ts', 'tools/**/*.test.ts', 'test/layers.test.ts'], false),
      tier('integration', ['test/integration/**/*.test.ts']),
      tier('host', ['test/host/**/*.test.ts']),
      /** In a guest, by tools/lab/boot.sh. */
      tier('lab', ['test/lab/*.test.ts']),
      /** Outside, and turns guests on and off. */
      tier('power', ['test/lab/power/*.test.ts']),
    ],
  },
});

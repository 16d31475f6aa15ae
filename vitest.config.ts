import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { freshSeed } from './test/harness/fresh-seed.ts';

/** Whole jobs on simulated machines and clusters, with faults, crashes and power cuts. */
const SIMULATION = '{src,tools}/**/*.simulation.test.ts';

/** Of tools, by running them: they start programs, and take seconds for what a unit takes milliseconds for. */
const RUN_TOOLS = 'tools/**/*.integration.test.ts';

/** What chance decides in these is drawn anew for each commit. */
const DRAW = ['unit', 'simulation', 'conformance', 'integration'];

const RUN_THE_PROGRAM = ['integration', 'host', 'lab-node'];

/** Each file has clusters of its own, and much of what it does is to wait for them. */
const TWO_AT_A_TIME = 'integration';

/** They leave nothing behind in it. To start a process for each file, and to load there what all of them load, takes longer than they do. */
const SHARE_A_PROCESS = 'unit';

/**
 * One project per test tier. Devices, guests and what else there is once on a machine are shared by files, so those tiers run them one
 * after another.
 */
const tier = (name: string, include: string[], oneByOne = true, testTimeout = oneByOne ? 120_000 : 20_000) => ({
  test: {
    name,
    include,
    exclude: [SIMULATION, RUN_TOOLS].filter((pattern) => !include.includes(pattern)),
    isolate: name !== SHARE_A_PROCESS,
    testTimeout,
    hookTimeout: 120_000,
    fileParallelism: !oneByOne || name === TWO_AT_A_TIME,
    /** Left to itself it leaves a core alone, which on two is half of them. */
    ...(!oneByOne && { maxWorkers: availableParallelism() }),
    ...(name === TWO_AT_A_TIME && { maxWorkers: 2 }),
    /** What a test waits for is there in a moment, or after a while on a busy machine. */
    expect: { poll: { timeout: 15_000, interval: 100 } },
    ...(DRAW.includes(name) && { provide: { freshSeed: freshSeed() }, setupFiles: 'test/harness/drawn.ts' }),
    ...(RUN_THE_PROGRAM.includes(name) && { globalSetup: 'test/harness/built.ts' }),
    ...(name === 'browser' && { globalSetup: 'test/browser/built-page.ts' }),
  },
});

export default defineConfig({
  test: {
    reporters: ['default', './tools/tier-reporter.ts'],
    projects: [
      tier(
        'unit',
        [
          'bench/**/*.test.ts',
          'web/**/*.test.ts',
          'src/**/*.test.ts',
          'tools/**/*.test.ts',
          'test/layers.test.ts',
          'test/invariants/*.test.ts',
        ],
        false,
      ),
      tier('simulation', [SIMULATION], false, 120_000),
      /** One real control plane for all of it. */
      tier('conformance', ['test/conformance/**/*.test.ts']),
      tier('integration', ['test/integration/**/*.test.ts', RUN_TOOLS]),
      tier('host', ['test/host/**/*.test.ts']),
      /** The console in a real browser. */
      tier('browser', ['test/browser/**/*.test.ts']),
      /** In a guest, by tools/lab/boot.sh. A guest is several times slower than the machine that it runs on. */
      tier('lab', ['test/lab/*.test.ts'], true, 600_000),
      /** Outside, and turns guests on and off. */
      tier('power', ['test/lab/power/*.test.ts'], true, 600_000),
      /** Outside, with a guest as a node of the cluster. */
      tier('lab-node', ['test/lab/node/*.test.ts'], true, 1_800_000),
      /** In namespaces of its own, by tools/node-tier.sh. */
      tier('e2e', ['test/e2e/*.test.ts'], true, 600_000),
    ],
  },
});

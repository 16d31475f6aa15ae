/**
 * Ends a test run with the line `N passed, N failed`, which people and machines can both read. Whatever makes the run fail is
 * counted as failed: a test, a file that cannot be read, a hook, an error that nobody caught, and that nothing ran at all. A test
 * that did not run counts as failed in CI.
 */
import type { Reporter, TestModule } from 'vitest/node';

export default class TierReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) {
      counts.failed += [module, ...module.children.allSuites()].filter((part) => part.errors().length > 0).length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed' || state === 'failed') counts[state] += 1;
        else counts.skipped += 1;
      }
    }
    if (counts.skipped > 0 && process.env.CI) counts.failed += counts.skipped;
    if (counts.passed + counts.failed + counts.skipped === 0) counts.failed = 1;
    if (counts.failed > 0) process.exitCode = 1;
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed${skipped}\n`);
  }
}

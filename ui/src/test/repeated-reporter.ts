import type { Reporter, TestCase } from 'vitest/node';

/** Names the tests that passed only when they were repeated, in the form of nextest, which `cargo xtask test` reads. */
export class RepeatedReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const run = test.diagnostic();
    if (!run?.flaky) return;
    process.stdout.write(`FLAKY 2/2 [${(run.duration / 1000).toFixed(3)}s] ${test.module.relativeModuleId} > ${test.fullName}\n`);
  }
}

import { defineConfig } from '@playwright/test';
import { browserPath } from './e2e/browser-path';

/** The real program serves the real build; the tests of a worker share one program and one page (e2e/kept-page.ts). The limits are wide, because the
 * Rust tests run at the same time. */
export default defineConfig({
  testDir: 'e2e',
  // Pictures for the manual, not a test: `npm run screenshots` asks for them.
  testIgnore: process.env.SIGNALBOX_SCREENSHOTS ? [] : ['**/screenshots.spec.ts'],
  timeout: 90_000,
  expect: { timeout: 20_000 },
  // `cargo xtask test` names what passed only when it was repeated: a defect of the test, and no reason to stop everybody.
  retries: 1,
  fullyParallel: false,
  workers: 3,
  reporter: [['list']],
  outputDir: process.env.SIGNALBOX_TEST_RESULTS ?? 'test-results',
  use: {
    viewport: { width: 1440, height: 900 },
    trace: 'off', screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: browserPath(),
      // Without a locale of UTF-8 the browser saves a file whose name has an umlaut as "download".
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
      // Pages live for seconds: optimising their code and clearing memory in further threads takes a sixth more of a processor than it saves.
      args: ['--js-flags=--no-opt --no-maglev --single-threaded-gc', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    },
  },
});

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { RepeatedReporter } from './src/test/repeated-reporter.ts';

/** Tests without JSX that need a page all the same. One that is missing here fails with "document is not defined". */
const WITH_PAGE = [
  'src/api/test/events.test.ts',
  'src/api/test/settings.test.ts',
  'src/api/test/tauri.test.ts',
  'src/api/test/token.test.ts',
  'src/api/test/transport.test.ts',
  'src/features/canvas/test/view.test.ts',
  'src/features/debug/debug.test.ts',
  'src/features/inbox/live.test.ts',
  'src/features/inbox/sending.test.ts',
  'src/i18n/engine-words.test.ts',
  'src/i18n/zh.test.ts',
  'src/kit/test/action.test.ts',
  'src/screens/test/session.test.ts',
  'src/shared/page-title.test.ts',
];

export default defineConfig({
  plugins: [react()],
  // The same files are served from a custom scheme, from 127.0.0.1 and by the dev server.
  base: './',
  build: {
    target: ['chrome111', 'safari16.4'], outDir: 'dist', assetsInlineLimit: 0, chunkSizeWarningLimit: 1600,
    // Styles of a chunk are linked after those of the chunks that it imports. The kit is what everything imports: without a chunk
    // of its own it would stand in the entry, come last, and win over what the screens say of their own parts.
    // The page of forms is one of its own: it loads neither the app nor its token.
    rolldownOptions: { input: { index: 'index.html', form: 'form.html' }, output: { codeSplitting: { groups: [{ name: 'kit', test: /\/src\/kit\/|@fontsource-variable/ }] } } },
  },
  // The manual and its pictures are beside this folder.
  server: { port: 5173, strictPort: true, fs: { allow: ['.', '../docs'] } },
  test: {
    globals: false,
    css: false,
    // A busy machine is not a failure.
    testTimeout: 60_000,
    // As for the Rust and the browser tests: what passed only when it was repeated is named, and stops nobody.
    retry: 1,
    reporters: ['default', new RepeatedReporter()],
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'page', environment: 'jsdom', setupFiles: ['src/test/setup.ts'], include: ['src/**/*.test.tsx', ...WITH_PAGE],
          // Each file has a context of its own, but jsdom is loaded once for a worker and not once for a file. (Files that share modules and a page take a
          // fifth less, and pass or fail by their order.) Two workers at least: with one, Vitest 4 runs all files in the same context.
          pool: 'vmThreads',
          // What contexts of finished files hold is given back when a worker has grown to this size.
          vmMemoryLimit: '1.5GB',
        },
      },
      // Plain functions need no page, and share the modules that a worker has loaded.
      { extends: true, test: { name: 'plain', environment: 'node', include: ['src/**/*.test.ts'], exclude: WITH_PAGE, pool: 'threads', isolate: false } },
    ],
  },
});

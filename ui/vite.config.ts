import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { RepeatedReporter } from './src/test/repeated-reporter.ts';

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
    environment: 'jsdom',
    globals: false,
    setupFiles: ['src/test/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}'],
    css: false,
    // A busy machine is not a failure.
    testTimeout: 60_000,
    // As for the Rust and the browser tests: what passed only when it was repeated is named, and stops nobody.
    retry: 1,
    reporters: ['default', new RepeatedReporter()],
    // Each file has a context of its own, but jsdom is loaded once for a worker and not once for a file. Two workers at least: with one,
    // Vitest 4 runs all files in the same context, and what one leaves behind is seen by the next.
    pool: 'vmThreads',
    maxWorkers: 2,
    // What contexts of finished files hold is given back when a worker has grown to this size.
    vmMemoryLimit: '1.5GB',
  },
});

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [react()],
  // The same files are served from a custom scheme, from 127.0.0.1 and by the dev server.
  base: './',
  build: { target: ['chrome111', 'safari16.4'], outDir: 'dist', assetsInlineLimit: 0, chunkSizeWarningLimit: 1600 },
  server: { port: 5173, strictPort: true },
  test: {
    environment: 'jsdom',
    globals: false,
    setupFiles: ['src/test/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}'],
    css: false,
    testTimeout: 20_000,
  },
});

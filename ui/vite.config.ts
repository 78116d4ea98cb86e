import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/** The desktop window freezes Object.prototype (TRUST), which makes a plain assignment to an inherited name throw. d3-color, which
 * the canvas library brings, sets `constructor` that way on an object literal. */
const assignsConstructor = 'prototype.constructor = constructor;';
const frozenPrototype: Plugin = {
  name: 'frozen-prototype',
  transform(code, id) {
    if (!id.includes('/d3-color/dist/d3-color.mjs')) return null;
    if (!code.includes(assignsConstructor)) throw new Error('d3-color has changed: look at the frozen-prototype plugin in vite.config.ts.');
    return { code: code.replace(assignsConstructor, "Object.defineProperty(prototype, 'constructor', { value: constructor, writable: true, configurable: true });"), map: null };
  },
};

export default defineConfig({
  plugins: [react(), frozenPrototype],
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

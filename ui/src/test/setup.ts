import { cleanup, configure } from '@testing-library/react';
import * as React from 'react';
import { afterEach } from 'vitest';
import { fastComputedStyle } from './computed-style.ts';

// A busy machine is not a failure.
configure({ asyncUtilTimeout: 20_000 });
afterEach(() => cleanup());
if (typeof window !== 'undefined') fastComputedStyle();

// jsdom has no layout: components that ask for these get the quiet answer.
class NoResize {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
globalThis.ResizeObserver ??= NoResize as unknown as typeof ResizeObserver;
globalThis.matchMedia ??= ((query: string) => ({
  matches: false,
  media: query,
  onchange: null,
  addEventListener() {},
  removeEventListener() {},
  addListener() {},
  removeListener() {},
  dispatchEvent: () => false,
})) as typeof matchMedia;
if (typeof Element !== 'undefined' && !Element.prototype.scrollIntoView) Element.prototype.scrollIntoView = () => {};
// jsdom has no layout to scroll.
if (typeof Element !== 'undefined') Element.prototype.scrollBy ??= () => undefined;

// React in development makes an Error for each element, for the stacks of its warnings, until it has made ten thousand since the last drawing: a tenth of
// what all tests take. It is told that it has.
const inside = (React as unknown as { __CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE?: object }).__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE;
if (inside && 'recentlyCreatedOwnerStacks' in inside) Object.defineProperty(inside, 'recentlyCreatedOwnerStacks', { configurable: true, get: () => Infinity, set() {} });

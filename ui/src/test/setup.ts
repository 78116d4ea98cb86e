import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

// A busy machine is not a failure.
configure({ asyncUtilTimeout: 20_000 });
afterEach(() => cleanup());

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

// Bound once per script, before any word of it is read: what it changes in the built-in objects changes nothing here.
(() => {
  'use strict';
  const { parse, stringify } = JSON;
  const { isFinite } = Number;
  const AsyncFunction = (async () => {}).constructor;
  const MOST_LINES = 200;
  const LONGEST = 2000;
  const lines = [];

  const shown = (value) => {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return String(value);
    try {
      return stringify(value) ?? String(value);
    } catch {
      return String(value);
    }
  };
  const print = (...values) => {
    if (lines.length < MOST_LINES) lines[lines.length] = values.map(shown).join(' ').slice(0, LONGEST);
  };

  const refuse = (key, what) => {
    throw new TypeError(`${key === '' ? 'The result' : `'${key}' of the result`} is ${what}, which JSON cannot say`);
  };
  const said = (key, value) => {
    if (typeof value === 'number' && !isFinite(value)) refuse(key, String(value));
    if (typeof value === 'bigint') refuse(key, 'a BigInt');
    if (typeof value === 'function') refuse(key, 'a function');
    if (typeof value === 'symbol') refuse(key, 'a symbol');
    if (value instanceof Map) refuse(key, 'a Map');
    if (value instanceof Set) refuse(key, 'a Set');
    return value;
  };

  globalThis.console = Object.freeze({ log: print, info: print, warn: print, error: print, debug: print });
  return {
    printed: () => stringify(lines),
    make: (names, source) => new AsyncFunction(...parse(names), source),
    run: async (script, values) => {
      const value = await script(...parse(values));
      return value === undefined ? 'null' : stringify(value, said);
    },
  };
})()

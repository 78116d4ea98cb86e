// Bound once per script, before any word of it is read: what it changes in the built-in objects changes nothing here.
// `host.marked` and `host.unmarked` carry whole numbers over that a number of JavaScript cannot hold.
(host) => {
  'use strict';
  const { parse, stringify } = JSON;
  const { mark, marked, unmarked, now, seed } = host;
  const { isFinite } = Number;
  const { apply } = Reflect;
  const { isArray } = Array;
  const { startsWith, slice } = String.prototype;
  const { call } = Function.prototype;
  const starts = call.bind(startsWith);
  const cut = call.bind(slice);
  const digits = call.bind(BigInt.prototype.toString);
  const timeOf = call.bind(Date.prototype.getTime);
  const Big = BigInt;
  const [LEAST, MOST] = [-(2n ** 63n), 2n ** 64n - 1n];
  const AsyncFunction = (async () => {}).constructor;
  const MOST_LINES = 200;
  const LONGEST = 2000;
  const lines = [];

  // JSON whose whole numbers keep their digits: beyond 2^53 they are BigInt values.
  const parseExact = (given, reviver) => {
    const text = typeof given === 'string' ? given : `${given}`;
    let ready = text;
    try {
      ready = marked(text);
    } catch {
      // With half a letter in it the text cannot leave the engine.
    }
    if (ready === text) return parse(text, reviver);
    const back = (value) => (typeof value === 'string' && starts(value, mark) ? Big(cut(value, mark.length)) : value);
    if (typeof reviver !== 'function') return parse(ready, (key, value) => back(value));
    return parse(ready, function revive(key, value) {
      return apply(reviver, this, [key, back(value)]);
    });
  };
  const stringifyExact = (value, replacer, space) => {
    // A list of names cannot be had together with a function; the engine then refuses a BigInt by itself.
    if (isArray(replacer)) return stringify(value, replacer, space);
    let some = false;
    const own = typeof replacer === 'function';
    const text = stringify(value, function replace(key, stood) {
      const one = own ? apply(replacer, this, [key, stood]) : stood;
      if (typeof one !== 'bigint') return one;
      some = true;
      return mark + digits(one);
    }, space);
    return some ? unmarked(text) : text;
  };
  JSON.parse = parseExact;
  JSON.stringify = stringifyExact;

  // Without Intl the engine would pass over a locale and its options, and give another text than was asked for.
  const refuseLocale = (prototype, name, first, what) => {
    const plain = prototype[name];
    const { [name]: method } = {
      [name](...args) {
        for (let at = first; at < args.length; at += 1) {
          if (args[at] !== undefined) {
            throw new TypeError(`${name} cannot follow a locale or options: there is no Intl in a script. ${what}`);
          }
        }
        return apply(plain, this, args);
      },
    };
    Object.defineProperty(prototype, name, { value: method, writable: true, enumerable: false, configurable: true });
  };
  const TIME = 'Make the text from toISOString() or getUTCHours() and the like; a time zone has to be added by hand.';
  const NUMBER = 'Make the text with toFixed() and replace().';
  const CASE = 'Leave the locale out, and replace letters with rules of their own before.';
  for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']) refuseLocale(Date.prototype, name, 0, TIME);
  for (const { prototype } of [Number, BigInt]) refuseLocale(prototype, 'toLocaleString', 0, NUMBER);
  for (const prototype of [Array.prototype, Object.getPrototypeOf(Uint8Array.prototype)]) {
    refuseLocale(prototype, 'toLocaleString', 0, 'Make each text with map() and put them together with join().');
  }
  for (const name of ['toLocaleUpperCase', 'toLocaleLowerCase']) refuseLocale(String.prototype, name, 0, CASE);
  refuseLocale(String.prototype, 'localeCompare', 1, 'Compare with < and >, or leave the locale out: letters are then compared by their code points.');

  // In a test of a workflow time stands still, and random numbers are the same each time.
  if (now !== undefined) {
    const MachineDate = Date;
    const FixedDate = new Proxy(MachineDate, {
      construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now] : args, made),
      apply: () => new MachineDate(now).toString(),
    });
    MachineDate.now = () => now;
    MachineDate.prototype.constructor = FixedDate;
    globalThis.Date = FixedDate;
    globalThis.performance = Object.freeze({ now: () => 0, timeOrigin: now });
    // The generator sfc32: four words of 32 bits.
    let [a, b, c, d] = [seed[0], seed[1], 0x9e3779b9, 1];
    const next = () => {
      const t = (((a + b) | 0) + d) | 0;
      d = (d + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = ((c << 21) | (c >>> 11)) + t | 0;
      return t >>> 0;
    };
    for (let n = 0; n < 15; n += 1) next();
    Math.random = () => next() / 4294967296;
  }

  const shown = (value) => {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return String(value);
    try {
      return stringifyExact(value) ?? String(value);
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
  // Such a date says of itself that it is null: a value that was never there.
  const isInvalidDate = (value) => {
    try {
      return !isFinite(timeOf(value));
    } catch {
      return false;
    }
  };
  const said = function said(key, value) {
    if (value === null && this[key] !== null && isInvalidDate(this[key])) refuse(key, 'an invalid date');
    if (typeof value === 'number' && !isFinite(value)) refuse(key, String(value));
    if (typeof value === 'bigint' && (value < LEAST || value > MOST)) refuse(key, 'a BigInt of more than 64 bits (return it as a text)');
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
      const value = await script(...parseExact(values));
      return value === undefined ? 'null' : stringifyExact(value, said);
    },
  };
}

// Runs before the shell freezes Object.prototype. A frozen prototype also forbids to give an object a property of the
// same name by assignment (d3 does that with `constructor`). As accessors the names can still be given to every object
// but the prototype itself.
for (const name of Object.getOwnPropertyNames(Object.prototype)) {
  const { value, writable } = Object.getOwnPropertyDescriptor(Object.prototype, name);
  if (!writable) continue;
  Object.defineProperty(Object.prototype, name, {
    get: () => value,
    set(own) {
      if (this === Object.prototype) throw new TypeError(`Object.prototype.${name} is read-only`);
      Object.defineProperty(this, name, { value: own, writable: true, enumerable: true, configurable: true });
    },
    enumerable: false,
    configurable: true,
  });
}

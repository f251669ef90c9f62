/**
 * In a test that imports this, `__proto__` throws as in the service started by `bin/gatehouse serve`
 * (--disable-proto=throw).
 */

function refuse(): never {
  throw new Error("Accessing Object.prototype.__proto__ has been disallowed");
}

Object.defineProperty(Object.prototype, "__proto__", { get: refuse, set: refuse, configurable: true });

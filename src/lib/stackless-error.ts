/**
 * A base class of frequent errors, without the expensive capture of a stack.
 */
export const StacklessError = function (this: Error, message: string) {
  this.message = message;
} as unknown as new (message: string) => Error;

StacklessError.prototype = Object.create(Error.prototype, {
  constructor: { value: StacklessError, writable: true, configurable: true },
}) as Error;

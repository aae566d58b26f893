/**
 * A base for errors that are made by the thousand: no stack is captured, which costs more than all else about them.
 */
export const StacklessError = function (this: Error, message: string) {
  this.message = message;
} as unknown as new (message: string) => Error;

StacklessError.prototype = Object.create(Error.prototype, {
  constructor: { value: StacklessError, writable: true, configurable: true },
}) as Error;

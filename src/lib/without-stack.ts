/** Makes errors that are expected: nobody reads their stacks, and collecting one costs more than a small query. */
export function withoutStack<Value>(make: () => Value): Value {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

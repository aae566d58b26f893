/** Makes expected errors without a stack trace, which would cost more than a small query. */
export function withoutStack<Value>(make: () => Value): Value {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** An error that an operator can correct. Its message is one line, shown without a stack. */
export class OperatorError extends Error {}

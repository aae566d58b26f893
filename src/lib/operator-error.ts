/**
 * Errors that an operator can correct.
 */

/** The message is one line that says what to do; it is shown without a stack. */
export class OperatorError extends Error {}

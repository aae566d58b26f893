/**
 * What an operator can correct.
 */

/** Its message is one line that says what to do; no stack is shown. */
export class OperatorError extends Error {}

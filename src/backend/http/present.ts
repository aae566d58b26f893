/**
 * Rows as callers see them.
 *
 * Tables hold epoch milliseconds; this is the one place that knows both written forms.
 */
/** `document`: `+` and epoch milliseconds, as the REST document's pattern has it. `iso`: ISO 8601. */
export type TimestampForm = 'document' | 'iso';

/** A row without its tenant, and with moments as text: they are the properties that end in `At`. */
type Presented<Row> = {
  -readonly [Name in Exclude<keyof Row, 'tenantId'>]: Name extends `${string}At`
    ? MomentAsText<Row[Name]>
    : Row[Name];
};
type MomentAsText<Value> = Value extends number ? string : Value;

export type Present = <Row extends object>(row: Row) => Presented<Row>;

/** Source: interface.md, "Conventions". Assumed: the digits after `+` are epoch milliseconds. */
export function presenter(form: TimestampForm): Present {
  const write = (epochMs: number): string =>
    form === 'iso' ? new Date(epochMs).toISOString() : `+${epochMs}`;
  return <Row extends object>(row: Row) => {
    const presented: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(row)) {
      if (name === 'tenantId') continue;
      const isMoment = typeof value === 'number' && name.endsWith('At');
      presented[name] = isMoment ? write(value) : value;
    }
    // The loop does to every property what the type says.
    return presented as Presented<Row>;
  };
}

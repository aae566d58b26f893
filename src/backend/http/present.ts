/** Rows as callers see them: tables hold epoch milliseconds. */

/** `document`: `+` and epoch milliseconds, as the REST document's pattern has it. `iso`: ISO 8601. */
export type TimestampForm = 'document' | 'iso';

/** A row without its tenant, and with timestamps (properties that end in `At`) as text. */
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
    const { tenantId: _, ...presented } = row as Record<string, unknown>;
    for (const [name, value] of Object.entries(presented)) {
      if (typeof value === 'number' && name.endsWith('At')) presented[name] = write(value);
    }
    return presented as Presented<Row>;
  };
}

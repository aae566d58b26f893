import { useState } from 'react';

/** What a screen shows: its data, or those before them if they could not be read again. */
export function useShown<Data>(data: Data | undefined, hasFailed: boolean): Data | undefined {
  const [last, setLast] = useState(data);
  if (!data || hasFailed) return last ?? data;
  if (data !== last) setLast(data);
  return data;
}

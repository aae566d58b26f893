import { useState } from 'react';

/** The data of a screen, or its previous data if a refetch failed. */
export function useShown<Data>(data: Data | undefined, hasFailed: boolean): Data | undefined {
  const [last, setLast] = useState(data);
  if (!data || hasFailed) return last ?? data;
  if (data !== last) setLast(data);
  return data;
}

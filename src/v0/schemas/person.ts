/**
 * Persons.
 *
 * Source: interface.md, "Person". Minimum lengths are the backend's promise, not checked on reading:
 * an empty text is better shown than refused.
 */
import { z } from 'zod';
import { nullableString, timestamp } from '../primitive.ts';

export const Person = z.object({
  personId: z.string(),
  name: z.string(),
  email: nullableString,
  domain: nullableString,
  slug: z.string(),
  phoneNumber: nullableString,
  linkedinProfileUrl: nullableString,
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Person = z.infer<typeof Person>;

/**
 * Persons.
 *
 * Source: interface.md, "Person". Minimum lengths of the document are not checked in responses, since an empty text is
 * still useful.
 */
import { z } from 'zod';
import { keyId, nullableString, timestamp } from './primitive.ts';

export const Person = z.object({
  personId: keyId.describe('ID of this person.'),
  name: z.string().describe('Full name.'),
  email: nullableString.describe('E-mail address. Null if unknown.'),
  domain: nullableString.describe('Internet domain of the organisation. Null if unknown.'),
  slug: z.string().describe('URL slug of the person.'),
  phoneNumber: nullableString.describe('Phone number. Null if unknown.'),
  linkedinProfileUrl: nullableString.describe('URL of the LinkedIn profile. Null if unknown.'),
  createdAt: timestamp.describe('Time of creation.'),
  updatedAt: timestamp.describe('Time of the last change.'),
});
export type Person = z.infer<typeof Person>;

/** Fields of the contract in the graph, and connections: errors of a module that its author sees. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import '../../src/app/schema.ts';
import { connectionType } from '../../src/graph/fields/connection-type.ts';
import { inputType, restType } from '../../src/graph/schema/rest-type.ts';
import { personEntity } from '../../src/resources/person.ts';
import { topicEntity } from '../../src/resources/topic.ts';

it.each([
  ['an enum', z.enum(['warm', 'cold'])],
  ['a nullable enum', z.enum(['warm', 'cold']).nullable()],
  ['a list of enums', z.array(z.enum(['warm', 'cold']))],
  ['a union', z.union([z.string(), z.number()])],
])('names a field without a type, and the fix, in responses and bodies: %s', (_what, tone) => {
  const contract = z.object({ tone });
  const options = { description: 'A tone.' };
  const message = /"Tone\.tone".*`fields: \{ tone: … \}`.*`builder\.enumType`/;

  expect(() => restType('Tone', contract, options)).toThrow(message);
  expect(() => inputType('Tone', contract, options)).toThrow(message);
});

it('returns the same connection type for each use of a node type', () => {
  const one = connectionType(topicEntity.ref);

  expect(connectionType(topicEntity.ref)).toBe(one);
  expect(() => connectionType(personEntity.ref)).toThrow('connectionType(Person)');
});

/** GraphiQL is the manual: everything in the schema says what it is. */
import { isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../src/schema.ts';

it('describes every type, field and argument', () => {
  const silent: string[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if (!type.description) silent.push(type.name);
    if (isEnumType(type)) continue;
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (!field.description) silent.push(`${type.name}.${field.name}`);
      for (const argument of 'args' in field ? field.args : []) {
        if (!argument.description) silent.push(`${type.name}.${field.name}(${argument.name}:)`);
      }
    }
  }

  expect(silent).toEqual([]);
});

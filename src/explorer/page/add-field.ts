/**
 * Puts a field of the schema into a document, as the "+" in the documentation does. The rest of the text stays as it
 * is.
 */
import { fillLeafs } from '@graphiql/toolkit';
import { applyEdits, modify, parseTree, type Edit, type ParseError } from 'jsonc-parser';
import {
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  getNamedType,
  Kind,
  OperationTypeNode,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { objectIn } from '../exchange/json.ts';

export type ParentType = GraphQLObjectType | GraphQLInterfaceType;

interface Wanted {
  readonly schema: GraphQLSchema;
  readonly parent: ParentType;
  readonly field: string;
}

/** The new document, the offset of the field in it, and the names of the field's variables. */
export type Added =
  | { readonly text: string; readonly offset: number; readonly variables: readonly string[] }
  | { readonly problem: string };

/** @param cursor an offset in `text`, which selects among several places for the field. */
export function addField(wanted: Wanted, text: string, cursor: number): Added {
  const { schema, parent, field: name } = wanted;
  const field = parent.getFields()[name]!;
  if (!/^[^\s#,]/m.test(text)) return newDocument(wanted, field);
  let document: DocumentNode;
  try {
    document = parse(text);
  } catch {
    return { problem: 'The query has a syntax error. Fix it first.' };
  }
  const place = placeFor(wanted, document, cursor);
  if (!place) return { problem: missingParent(schema, parent) };
  const { set, operation } = place;
  const isThere = set.selections.some(
    (node) => node.kind === Kind.FIELD && !node.alias && node.name.value === name,
  );
  if (isThere) return { problem: `${name} is already in the query.` };

  const variables = variablesFor(wanted, field, operation);
  const last = set.selections.at(-1)!;
  const lineStart = text.lastIndexOf('\n', last.loc!.start) + 1;
  const indent = text.slice(lineStart, last.loc!.start);
  const isOnOwnLine = /^\s*$/.test(indent);
  const before = isOnOwnLine ? `\n${indent}` : ' ';
  const at = last.loc!.end;
  const edit = operation && definitionEdit(operation, variables);
  const inserted = `${before}${name}${argumentsOf(variables)}`;
  const edited = applyEdits(text, [insertion(at, inserted), ...(edit ? [edit] : [])]);
  const offset = at + before.length + (edit && edit.offset < at ? edit.content.length : 0);
  return withSelections(schema, edited, offset, variables);
}

function newDocument({ schema, parent }: Wanted, field: GraphQLField<unknown, unknown>): Added {
  const kind = rootKindOf(schema, parent);
  if (!kind) return { problem: missingParent(schema, parent) };
  const variables = variablesFor({ schema, parent, field: field.name }, field, undefined);
  const defined = definitionsOf(variables);
  const isShort = kind === OperationTypeNode.QUERY && !defined;
  const head = isShort ? '' : `${kind}${defined && ` (${defined})`} `;
  const start = `${head}{\n  `;
  return withSelections(
    schema,
    `${start}${field.name}${argumentsOf(variables)}\n}\n`,
    start.length,
    variables,
  );
}

/** The selection set for the field: the smallest around the cursor, or else the first. */
function placeFor({ schema, parent }: Wanted, document: DocumentNode, cursor: number) {
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const isAround = ({ loc }: { readonly loc?: SelectionSetNode['loc'] }): boolean =>
    loc !== undefined && loc.start <= cursor && cursor <= loc.end;
  const sets: SelectionSetNode[] = [];
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      SelectionSet(node) {
        const type = types.getParentType();
        const isOfType =
          type === parent ||
          (type && isAbstractType(parent) && schema.isSubType(parent, type as ParentType));
        if (isOfType) sets.push(node);
      },
    }),
  );
  const set = sets.findLast(isAround) ?? sets[0];
  if (!set) return undefined;
  const operation = operations.find(
    ({ loc }) => loc!.start <= set.loc!.start && set.loc!.end <= loc!.end,
  );
  return { set, operation: operation ?? operations.find(isAround) ?? operations[0] };
}

interface Variable {
  readonly argument: string;
  readonly variable: string;
  readonly type: string;
  readonly isDefined: boolean;
}

function variablesFor(
  wanted: Wanted,
  field: GraphQLField<unknown, unknown>,
  operation: OperationDefinitionNode | undefined,
): readonly Variable[] {
  const defined = new Map(
    (operation?.variableDefinitions ?? []).map(({ variable, type, loc }) => [
      variable.name.value,
      loc!.source.body.slice(type.loc!.start, type.loc!.end),
    ]),
  );
  return neededArguments(wanted, field).map(({ name, type: given }) => {
    const type = `${String(given).replace(/!$/, '')}!`;
    const isFree = !defined.has(name) || defined.get(name) === type;
    const variable = isFree
      ? name
      : field.name + name.replace(/^./, (first) => first.toUpperCase());
    return { argument: name, variable, type, isDefined: defined.has(variable) };
  });
}

/** Required arguments; for lookups by either kind of id, the raw ids, which other systems show too. */
function neededArguments(
  { schema, parent }: Wanted,
  { args }: GraphQLField<unknown, unknown>,
): readonly GraphQLArgument[] {
  const required = args.filter(isRequiredArgument);
  if (required.length > 0 || parent !== schema.getQueryType()) return required;
  const isLookUp = args.length > 0 && args.every(({ type }) => String(type) === 'ID');
  return isLookUp ? args.filter(({ name }) => name !== 'id') : [];
}

const argumentsOf = (variables: readonly Variable[]): string =>
  variables.length === 0
    ? ''
    : `(${variables.map(({ argument, variable }) => `${argument}: $${variable}`).join(', ')})`;

/** Defines the variables that the operation does not define yet. */
function definitionEdit(
  { loc, name, variableDefinitions = [], operation }: OperationDefinitionNode,
  variables: readonly Variable[],
): Edit | undefined {
  const text = definitionsOf(variables.filter(({ isDefined }) => !isDefined));
  const last = variableDefinitions.at(-1);
  if (!text) return undefined;
  if (last) return insertion(last.loc!.end, `, ${text}`);
  if (name) return insertion(name.loc!.end, `(${text})`);
  const isShort = loc!.source.body[loc!.start] === '{';
  return isShort
    ? insertion(loc!.start, `${operation} (${text}) `)
    : insertion(loc!.start + operation.length, ` (${text})`);
}

const insertion = (offset: number, content: string): Edit => ({ offset, length: 0, content });

const definitionsOf = (variables: readonly Variable[]): string =>
  variables.map(({ variable, type }) => `$${variable}: ${type}`).join(', ');

/** Adds default fields to objects without a selection, as Play does. */
function withSelections(
  schema: GraphQLSchema,
  text: string,
  offset: number,
  variables: readonly Variable[],
): Added {
  const { result = text, insertions } = fillLeafs(schema, text, leavesOf);
  const before = insertions.filter(({ index }) => index <= offset);
  return {
    text: result,
    offset: before.reduce((sum, { string }) => sum + string.length, offset),
    variables: variables.map(({ variable }) => variable),
  };
}

function leavesOf(type: GraphQLType): string[] {
  if (!isObjectType(type) && !isInterfaceType(type)) return ['__typename'];
  const fields = type.getFields();
  for (const name of ['id', 'nodes', 'node']) if (fields[name]) return [name];
  const leaves = Object.values(fields).filter((one) => isLeafType(getNamedType(one.type)));
  const simple = (leaves.length > 0 ? leaves : Object.values(fields)).filter(
    ({ args }) => !args.some(isRequiredArgument),
  );
  return simple.map(({ name }) => name);
}

const rootKindOf = (schema: GraphQLSchema, parent: ParentType): OperationTypeNode | undefined =>
  Object.values(OperationTypeNode).find((one) => schema.getRootType(one) === parent);

function missingParent(schema: GraphQLSchema, parent: ParentType): string {
  const root = rootKindOf(schema, parent);
  if (root) return `This document has no ${root}. Add the field in a new tab.`;
  const answering = Object.values(schema.getTypeMap())
    .filter((type): type is ParentType => isObjectType(type) && !type.name.startsWith('__'))
    .flatMap((type) =>
      Object.values(type.getFields())
        .filter((field) => getNamedType(field.type) === parent)
        .map((field) => `${type.name}.${field.name}`),
    )
    .sort((a, b) => Number(b.startsWith('Query.')) - Number(a.startsWith('Query.')));
  const [first] = answering;
  return first
    ? `The query does not select a ${parent.name}. Add ${first} first.`
    : `The query does not select a ${parent.name}.`;
}

/** Adds null for each missing variable, as a placeholder. Text that is not a JSON object is returned unchanged. */
export function addVariables(jsonc: string, names: readonly string[]): string {
  const faults: ParseError[] = [];
  const root = parseTree(jsonc, faults, { allowTrailingComma: true, allowEmptyContent: true });
  if (faults.length > 0 || (root && root.type !== 'object')) return jsonc;
  const known = objectIn(jsonc);
  const formattingOptions = { tabSize: 2, insertSpaces: true };
  return names
    .filter((name) => !(name in known))
    .reduce(
      (text, name) => applyEdits(text, modify(text, [name], null, { formattingOptions })),
      jsonc.trim() ? jsonc : '{}',
    );
}

export function variablesToGive(jsonc: string, names: readonly string[]): readonly string[] {
  const known = objectIn(jsonc);
  return names.filter((name) => (known[name] ?? null) === null);
}

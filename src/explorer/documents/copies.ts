/**
 * A request as code for the clients that frontends use. The API key and the user's headers are placeholders: their
 * names are copied, their values are not.
 */
import {
  Kind,
  OperationTypeNode,
  parse,
  separateOperations,
  visit,
  type DefinitionNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
} from 'graphql';
import { acceptOf, ENDPOINT } from '../exchange/request.ts';

export interface Copied {
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The operation to run, of a document with several. */
  readonly operationName?: string | undefined;
  readonly headers: readonly string[];
}

/** The menu's items, in order. Each throws a GraphQLError for a document that cannot be parsed. */
export const COPIES: Readonly<Record<string, (copied: Copied) => string>> = {
  curl: asCurl,
  fetch: asFetch,
  'Apollo Client': asApollo,
  Relay: asRelay,
  urql: asUrql,
};

function asCurl(copied: Copied): string {
  const { query, operationName } = bodyOf(copied);
  return [
    // `-N` prints each event of a subscription as it arrives.
    `curl -sN ${quote(ENDPOINT)}`,
    ...Object.entries(headersOf(copied)).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    `-H "x-api-key: $API_KEY"`,
    ...copied.headers.map((name) => `-H "${name}: $${variableOf(name)}"`),
    `-d ${quote(JSON.stringify({ query, operationName, variables: copied.variables }))}`,
  ].join(' \\\n  ');
}

function asFetch(copied: Copied): string {
  const { document } = copied;
  const headers = [
    ...Object.entries(headersOf(copied)).map(([name, value]) => `    '${name}': '${value}',`),
    `    'x-api-key': apiKey,`,
    ...copied.headers.map((name) => `    '${name}': '', // yours`),
  ];
  const { operationName } = bodyOf(copied);
  return `const apiKey = ''; // yours

const query = ${template(document)};

const response = await fetch('${ENDPOINT}', {
  method: 'POST',
  headers: {
${headers.join('\n')}
  },
  body: JSON.stringify({
    query,${operationName === undefined ? '' : `\n    operationName: '${operationName}',`}
    variables: ${indent(copied.variables, 4)},
  }),
});
${
  operationOf(copied).operation === OperationTypeNode.SUBSCRIPTION
    ? `// Server-sent events, one after the other.
for await (const text of response.body!.pipeThrough(new TextDecoderStream())) console.log(text);
`
    : `const { data, errors } = await response.json();
`
}`;
}

function asApollo(copied: Copied): string {
  const { hook, constant, name } = namesOf(copied);
  return `${importLine('gql', '@apollo/client')}
${importLine(hook, '@apollo/client/react')}

const ${constant} = gql${template(chosenDocument(copied))};

export function use${name}() {
  return ${hook}(${constant}, {
    variables: ${indent(copied.variables, 4)},
  });
}
`;
}

function asUrql(copied: Copied): string {
  const { hook, constant, name, operation } = namesOf(copied);
  const call =
    operation === OperationTypeNode.MUTATION
      ? `  const [result, send] = useMutation(${constant});
  return [result, () => send(${indent(copied.variables, 2)})] as const;`
      : `  return ${hook}({
    query: ${constant},
    variables: ${indent(copied.variables, 4)},
  });`;
  return `${importLine(`gql, ${hook}`, 'urql')}

const ${constant} = gql${template(chosenDocument(copied))};

export function use${name}() {
${call}
}
`;
}

/** Relay requires names of the form module, name, kind of operation, and one definition per tag. */
function asRelay(copied: Copied): string {
  const { kind, name, operation } = namesOf(copied);
  const module = name.endsWith(kind) ? name.slice(0, -kind.length) || name : name;
  const relayName = module + kind;
  const { operation: node, fragments } = partsOf(copied);
  const nameOf = (fragment: FragmentDefinitionNode): string => `${module}_${fragment.name.value}`;
  const names = new Map(fragments.map((one) => [one.name.value, nameOf(one)]));
  const document = template(rename(copied.document, node, relayName, names));
  const tags = fragments.map(
    (one) => `graphql${template(rename(copied.document, one, nameOf(one), names))};\n\n`,
  );
  const variables = indent(copied.variables, 4);
  const [hook, call] = {
    [OperationTypeNode.QUERY]: [
      'useLazyLoadQuery',
      `  return useLazyLoadQuery<${relayName}>(
    graphql${document},
    ${variables},
  );`,
    ],
    [OperationTypeNode.MUTATION]: [
      'useMutation',
      `  const [commit, isInFlight] = useMutation<${relayName}>(graphql${document});
  return [() => commit({ variables: ${indent(copied.variables, 2)} }), isInFlight] as const;`,
    ],
    [OperationTypeNode.SUBSCRIPTION]: [
      'useSubscription',
      `  useSubscription<${relayName}>({
    subscription: graphql${document},
    variables: ${variables},
  });`,
    ],
  }[operation];
  return `// ${module}.tsx, after "relay-compiler" has run
${importLine(`graphql, ${hook}`, 'react-relay')}
${importLine(relayName, `./__generated__/${relayName}.graphql`, 'import type')}

${tags.join('')}export function use${module}() {
${call}
}
`;
}

/** The chosen operation and the fragments that it spreads, directly or through others, in the order of the document. */
interface Parts {
  readonly operation: OperationDefinitionNode;
  readonly fragments: readonly FragmentDefinitionNode[];
  readonly definitions: readonly DefinitionNode[];
}

function partsOf({ document: text, operationName }: Copied): Parts {
  const document = parse(text);
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const operation = operations.find(({ name }) => name?.value === operationName) ?? operations[0];
  if (!operation) throw new Error('There is no operation in this document.');
  const { definitions } = separateOperations(document)[operation.name?.value ?? '']!;
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  return { operation, fragments, definitions };
}

const operationOf = (copied: Copied): OperationDefinitionNode => partsOf(copied).operation;

/** The document without other operations and their fragments: clients reject these, or run the first. */
function chosenDocument(copied: Copied): string {
  const { definitions } = partsOf(copied);
  const isWhole = definitions.length === parse(copied.document).definitions.length;
  return isWhole ? copied.document : definitions.map(textOf).join('\n\n');
}

const textOf = ({ loc }: DefinitionNode): string => loc!.source.body.slice(loc!.start, loc!.end);

const KINDS = {
  [OperationTypeNode.QUERY]: 'Query',
  [OperationTypeNode.MUTATION]: 'Mutation',
  [OperationTypeNode.SUBSCRIPTION]: 'Subscription',
} as const;

function namesOf(copied: Copied) {
  const { operation, name: given } = operationOf(copied);
  const name = given ? given.value.replace(/^./, (first) => first.toUpperCase()) : 'Operation';
  const kind = KINDS[operation];
  const constant = name.replace(/(?<=[a-z\d])(?=[A-Z])/g, '_').toUpperCase();
  return { operation, name, kind, constant, hook: `use${kind}` };
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text of a definition with another name, and other names of the fragments that it spreads. */
function rename(
  document: string,
  node: OperationDefinitionNode | FragmentDefinitionNode,
  name: string,
  fragments: ReadonlyMap<string, string>,
): string {
  const { start, end } = node.loc!;
  const edits: Edit[] = [nameEdit(document, node, name)];
  visit(node, {
    FragmentSpread({ name: { value, loc } }) {
      edits.push({ start: loc!.start, end: loc!.end, text: fragments.get(value) ?? value });
    },
  });
  let text = '';
  let at = start;
  for (const edit of edits) {
    text += document.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return text + document.slice(at, end);
}

function nameEdit(
  document: string,
  node: OperationDefinitionNode | FragmentDefinitionNode,
  name: string,
): Edit {
  if (node.name) return { start: node.name.loc!.start, end: node.name.loc!.end, text: name };
  const { start } = node.loc!;
  // The shorthand `{ … }` has no keyword.
  if (document[start] === '{') return { start, end: start, text: `query ${name} ` };
  const keyword = node.kind === Kind.OPERATION_DEFINITION ? node.operation : 'fragment';
  const end = start + keyword.length;
  return { start: end, end, text: ` ${name}` };
}

const bodyOf = (copied: Copied) => ({
  query: copied.document,
  operationName: operationOf(copied).name?.value,
});

function headersOf(copied: Copied): Readonly<Record<string, string>> {
  const isSubscription = operationOf(copied).operation === OperationTypeNode.SUBSCRIPTION;
  const accept = acceptOf(copied.document, isSubscription);
  return { 'content-type': 'application/json', ...(accept && { accept }) };
}

const importLine = (names: string, module: string, keyword = 'import'): string =>
  `${keyword} { ${names} } from "${module}";`;

const template = (text: string): string =>
  `\`\n${text.trim().replace(/[`\\]|\$\{/g, String.raw`\$&`)}\n\``;

const indent = (value: object, spaces: number): string =>
  JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(spaces)}`);

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The shell variable for a header's value. */
const variableOf = (name: string): string => name.toUpperCase().replaceAll(/\W/g, '_');

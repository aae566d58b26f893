/**
 * A request as code for the clients that frontends use. The API key and the user's headers are placeholders: their
 * names are copied, their values are not.
 */
import { Kind, OperationTypeNode, parse, type OperationDefinitionNode } from 'graphql';
import { acceptOf, ENDPOINT } from '../exchange/request.ts';

export interface Copied {
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The operation to run, of a document with several. */
  readonly operationName?: string | undefined;
  /** Names of headers that the user has added. */
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
    `curl -sN ${quoted(ENDPOINT)}`,
    ...Object.entries(headersOf(copied)).map(
      ([name, value]) => `-H ${quoted(`${name}: ${value}`)}`,
    ),
    `-H "x-api-key: $API_KEY"`,
    ...copied.headers.map((name) => `-H "${name}: $${variableOf(name)}"`),
    `-d ${quoted(JSON.stringify({ query, operationName, variables: copied.variables }))}`,
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
    variables: ${indented(copied.variables, 4)},
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
  return `${imported('gql', '@apollo/client')}
${imported(hook, '@apollo/client/react')}

const ${constant} = gql${template(copied.document)};

export function use${name}() {
  return ${hook}(${constant}, {
    variables: ${indented(copied.variables, 4)},
  });
}
`;
}

function asUrql(copied: Copied): string {
  const { hook, constant, name, operation } = namesOf(copied);
  const call =
    operation === OperationTypeNode.MUTATION
      ? `  const [result, send] = useMutation(${constant});
  return [result, () => send(${indented(copied.variables, 2)})] as const;`
      : `  return ${hook}({
    query: ${constant},
    variables: ${indented(copied.variables, 4)},
  });`;
  return `${imported(`gql, ${hook}`, 'urql')}

const ${constant} = gql${template(copied.document)};

export function use${name}() {
${call}
}
`;
}

/** Relay requires operation names that begin with the module's name and end with the kind of operation. */
function asRelay(copied: Copied): string {
  const { kind, name, operation } = namesOf(copied);
  const module = name.endsWith(kind) ? name.slice(0, -kind.length) || name : name;
  const relayName = module + kind;
  const document = template(renamed(copied, relayName));
  const variables = indented(copied.variables, 4);
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
  return [() => commit({ variables: ${indented(copied.variables, 2)} }), isInFlight] as const;`,
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
${imported(`graphql, ${hook}`, 'react-relay')}
${imported(relayName, `./__generated__/${relayName}.graphql`, 'import type')}

export function use${module}() {
${call}
}
`;
}

/** @throws GraphQLError for a document that cannot be parsed; Error for one without an operation. */
function operationOf({ document, operationName }: Copied): OperationDefinitionNode {
  const operations = parse(document).definitions.filter(
    (node) => node.kind === Kind.OPERATION_DEFINITION,
  );
  const named = operations.find(({ name }) => name?.value === operationName) ?? operations[0];
  if (!named) throw new Error('There is no operation in this document.');
  return named;
}

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

/** The document with another name of its operation. */
function renamed(copied: Copied, name: string): string {
  const operation = operationOf(copied);
  const { document } = copied;
  const { start } = operation.loc!;
  if (operation.name) {
    const { loc } = operation.name;
    return document.slice(0, loc!.start) + name + document.slice(loc!.end);
  }
  // The shorthand `{ … }` has no keyword.
  return document[start] === '{'
    ? `${document.slice(0, start)}query ${name} ${document.slice(start)}`
    : document.slice(0, start) +
        document.slice(start).replace(/^\w+/, (keyword) => `${keyword} ${name}`);
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

const imported = (names: string, module: string, keyword = 'import'): string =>
  `${keyword} { ${names} } from "${module}";`;

/** A template literal. */
const template = (text: string): string =>
  `\`\n${text.trim().replace(/[`\\]|\$\{/g, String.raw`\$&`)}\n\``;

const indented = (value: object, spaces: number): string =>
  JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(spaces)}`);

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The shell variable for a header's value. */
const variableOf = (name: string): string => name.toUpperCase().replaceAll(/\W/g, '_');

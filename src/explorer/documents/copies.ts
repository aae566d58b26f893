/**
 * A request as code for the clients that frontends use. The API key and the user's headers are placeholders: their
 * names are copied, their values are not.
 */
import {
  Kind,
  OperationTypeNode,
  parse,
  print,
  separateOperations,
  visit,
  type FragmentDefinitionNode,
  type NameNode,
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
  chosen(copied).operation.operation === OperationTypeNode.SUBSCRIPTION
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

const ${constant} = gql${template(chosen(copied).text)};

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

const ${constant} = gql${template(chosen(copied).text)};

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
  const rename = (node: OperationDefinitionNode | FragmentDefinitionNode, to: string): string =>
    template(
      print(
        visit(
          { ...node, name: { kind: Kind.NAME, value: to } },
          { FragmentSpread: (spread) => ({ ...spread, name: inModule(spread.name) }) },
        ),
      ),
    );
  const inModule = (node: NameNode): NameNode => ({ ...node, value: `${module}_${node.value}` });
  const { operation: node, definitions } = chosen(copied);
  const document = rename(node, relayName);
  const tags = definitions
    .filter((one) => one.kind === Kind.FRAGMENT_DEFINITION)
    .map((one) => `graphql${rename(one, inModule(one.name).value)};\n\n`);
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

/** The chosen operation, and with it the fragments that it spreads, directly or through others. */
function chosen({ document: text, operationName }: Copied) {
  const document = parse(text);
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const operation = operations.find(({ name }) => name?.value === operationName) ?? operations[0];
  if (!operation) throw new Error('There is no operation in this document.');
  const own = separateOperations(document)[operation.name?.value ?? '']!;
  const isWhole = own.definitions.length === document.definitions.length;
  return { operation, definitions: own.definitions, text: isWhole ? text : print(own) };
}

function namesOf(copied: Copied) {
  const { operation, name: given } = chosen(copied).operation;
  const name = capitalized(given?.value ?? 'operation');
  const kind = capitalized(operation);
  const constant = name.replace(/(?<=[a-z\d])(?=[A-Z])/g, '_').toUpperCase();
  return { operation, name, kind, constant, hook: `use${kind}` };
}

const capitalized = (text: string): string => text.replace(/^./, (first) => first.toUpperCase());

const bodyOf = (copied: Copied) => ({
  query: copied.document,
  operationName: chosen(copied).operation.name?.value,
});

function headersOf(copied: Copied): Readonly<Record<string, string>> {
  const isSubscription = chosen(copied).operation.operation === OperationTypeNode.SUBSCRIPTION;
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

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

type Read = Copied & ReturnType<typeof chosen>;

const copyAs =
  (write: (read: Read) => string) =>
  (copied: Copied): string =>
    write({ ...copied, ...chosen(copied) });

/** The menu's items, in order. Each throws a GraphQLError for a document that cannot be parsed. */
export const COPIES: Readonly<Record<string, (copied: Copied) => string>> = {
  curl: copyAs(asCurl),
  fetch: copyAs(asFetch),
  'Apollo Client': copyAs(asApollo),
  Relay: copyAs(asRelay),
  urql: copyAs(asUrql),
};

function asCurl(copied: Read): string {
  const { document: query, operationName, variables } = copied;
  return [
    // `-N` prints each event of a subscription as it arrives.
    `curl -sN ${quote(ENDPOINT)}`,
    ...Object.entries(headersOf(copied)).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    `-H "x-api-key: $API_KEY"`,
    ...copied.headers.map((name) => `-H "${name}: $${variableOf(name)}"`),
    `-d ${quote(JSON.stringify({ query, operationName, variables }))}`,
  ].join(' \\\n  ');
}

function asFetch(copied: Read): string {
  const { document, operationName } = copied;
  const headers = [
    ...Object.entries(headersOf(copied)).map(([name, value]) => `    '${name}': '${value}',`),
    `    'x-api-key': apiKey,`,
    ...copied.headers.map((name) => `    '${name}': '', // yours`),
  ];
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
  copied.operation === OperationTypeNode.SUBSCRIPTION
    ? `// Server-sent events, one after the other.
for await (const text of response.body!.pipeThrough(new TextDecoderStream())) console.log(text);
`
    : `const { data, errors } = await response.json();
`
}`;
}

function asApollo({ hook, constant, name, text, variables }: Read): string {
  return `${importLine('gql', '@apollo/client')}
${importLine(hook, '@apollo/client/react')}

const ${constant} = gql${template(text)};

export function use${name}() {
  return ${hook}(${constant}, {
    variables: ${indent(variables, 4)},
  });
}
`;
}

function asUrql({ hook, constant, name, text, operation, variables }: Read): string {
  const call =
    operation === OperationTypeNode.MUTATION
      ? `  const [result, send] = useMutation(${constant});
  return [result, () => send(${indent(variables, 2)})] as const;`
      : `  return ${hook}({
    query: ${constant},
    variables: ${indent(variables, 4)},
  });`;
  return `${importLine(`gql, ${hook}`, 'urql')}

const ${constant} = gql${template(text)};

export function use${name}() {
${call}
}
`;
}

/** Relay requires names of the form module, name, kind of operation, and one definition per tag. */
function asRelay({ kind, name, node, operation, definitions, ...copied }: Read): string {
  const module = name.endsWith(kind) ? name.slice(0, -kind.length) || name : name;
  const relayName = module + kind;
  const rename = (one: OperationDefinitionNode | FragmentDefinitionNode, to: string): string =>
    template(
      print(
        visit(
          { ...one, name: { kind: Kind.NAME, value: to } },
          { FragmentSpread: (spread) => ({ ...spread, name: inModule(spread.name) }) },
        ),
      ),
    );
  const inModule = (one: NameNode): NameNode => ({ ...one, value: `${module}_${one.value}` });
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

/** The chosen operation and its names, and with it the fragments that it spreads, directly or through others. */
function chosen({ document: text, operationName }: Copied) {
  const document = parse(text);
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const node = operations.find(({ name }) => name?.value === operationName) ?? operations[0];
  if (!node) throw new Error('There is no operation in this document.');
  const own = separateOperations(document)[node.name?.value ?? '']!;
  const isWhole = own.definitions.length === document.definitions.length;
  const name = capitalized(node.name?.value ?? 'operation');
  const kind = capitalized(node.operation);
  return {
    node,
    operation: node.operation,
    operationName: node.name?.value,
    definitions: own.definitions,
    text: isWhole ? text : print(own),
    name,
    kind,
    constant: name.replace(/(?<=[a-z\d])(?=[A-Z])/g, '_').toUpperCase(),
    hook: `use${kind}`,
  };
}

const capitalized = (text: string): string => text.replace(/^./, (first) => first.toUpperCase());

function headersOf({ document, operation }: Read): Readonly<Record<string, string>> {
  const accept = acceptOf(document, operation === OperationTypeNode.SUBSCRIPTION);
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

/**
 * The examples, read from their files, each with the fragments that it spreads.
 *
 * Most are documents that frontends use, so what is shown here is what runs there.
 */
import { Kind, parse, print, visit } from 'graphql';
import fragments from '../../client/documents/fragments.graphql?raw';
import type { Example } from './example.ts';

const files = import.meta.glob<Example>('./documents/*/*.ts', { eager: true, import: 'default' });

export const EXAMPLES: readonly Example[] = Object.values(files).map((example) => ({
  ...example,
  document: withFragments(example.document),
}));

/** What a first visitor finds. */
export const FIRST_EXAMPLE = EXAMPLES.find(({ title }) => title === 'A page with its audiences')!;

/** A document followed by the shared fragments it spreads, and those that these spread. */
function withFragments(text: string): string {
  const shared = new Map(
    parse(fragments).definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
  const wanted = new Set<string>();
  const collect = (node: Parameters<typeof visit>[0]): void => {
    visit(node, {
      FragmentSpread: ({ name }) => {
        if (wanted.has(name.value)) return;
        wanted.add(name.value);
        const fragment = shared.get(name.value);
        if (fragment) collect(fragment);
      },
    });
  };
  collect(parse(text));
  const parts = [...wanted].flatMap((name) => shared.get(name) ?? []).map((node) => print(node));
  return [text.trim(), ...parts].join('\n\n') + '\n';
}

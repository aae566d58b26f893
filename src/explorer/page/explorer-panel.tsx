/** The pane of fields. */
import { explorerPlugin } from '@graphiql/plugin-explorer';
import type { GraphiQLPlugin } from '@graphiql/react';

/** A colour of GraphiQL, mixed with that of the text for contrast. */
const strong = (color: string): string =>
  `color-mix(in srgb, hsl(var(--color-${color})) 55%, hsl(var(--color-neutral)))`;

const COLORS = {
  keyword: strong('primary'),
  def: strong('tertiary'),
  property: strong('info'),
  qualifier: strong('secondary'),
  attribute: strong('tertiary'),
  number: strong('success'),
  string: strong('warning'),
  builtin: strong('success'),
  string2: strong('secondary'),
  variable: strong('secondary'),
  atom: strong('tertiary'),
};

export function fieldsPlugin(): GraphiQLPlugin {
  const { content: Content, ...plugin } = explorerPlugin({ title: 'Fields', colors: COLORS });
  return {
    ...plugin,
    title: 'Fields',
    content: () => (
      // Takes the focus when it is clicked, which lets new inputs focus themselves.
      <div className="fields-panel" tabIndex={-1}>
        <Content />
      </div>
    ),
  };
}

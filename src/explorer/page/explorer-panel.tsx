/** The pane of fields, whose inputs would focus themselves when they appear, which scrolls the pane. */
import { explorerPlugin } from '@graphiql/plugin-explorer';
import type { GraphiQLPlugin } from '@graphiql/react';
import { useEffect, useRef } from 'react';

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

export function quietExplorerPlugin(): GraphiQLPlugin {
  const { content: Content, ...plugin } = explorerPlugin({ title: 'Fields', colors: COLORS });
  return {
    ...plugin,
    title: 'Fields',
    content: function Fields() {
      const panel = useFocusOnlyByUser();
      return (
        <div ref={panel} className="fields-panel">
          <Content />
        </div>
      );
    },
  };
}

/** Returns the focus and the scroll position unless the user has moved them. */
function useFocusOnlyByUser() {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const panel = ref.current!;
    let isByUser = false;
    let isScrolledByUser = false;
    let scrolledTo = 0;
    const scroller = panel.closest('.graphiql-plugin')!;
    const onInput = (event: Event): void => {
      const isMeant =
        event instanceof KeyboardEvent ? true : scroller.contains(event.target as Node);
      if (!isMeant) return;
      isByUser = true;
      isScrolledByUser = true;
      setTimeout(() => (isByUser = false));
    };
    const onWheel = (): void => {
      isScrolledByUser = true;
    };
    const onFocus = ({ target, relatedTarget }: FocusEvent): void => {
      if (isByUser || panel.contains(relatedTarget as Node | null)) return;
      isScrolledByUser = false;
      const place = scrolledTo;
      if (relatedTarget instanceof HTMLElement) relatedTarget.focus({ preventScroll: true });
      else (target as HTMLElement).blur();
      requestAnimationFrame(() => scroller.scrollTo({ top: place, left: 0 }));
    };
    const onScroll = (): void => {
      // Scrolling by focus ends later and does not count.
      if (isScrolledByUser) scrolledTo = scroller.scrollTop;
    };
    document.addEventListener('pointerdown', onInput, true);
    document.addEventListener('keydown', onInput, true);
    panel.addEventListener('focusin', onFocus);
    scroller.addEventListener('scrollend', onScroll);
    scroller.addEventListener('wheel', onWheel, { passive: true });
    scroller.addEventListener('touchmove', onWheel, { passive: true });
    return () => {
      document.removeEventListener('pointerdown', onInput, true);
      document.removeEventListener('keydown', onInput, true);
      panel.removeEventListener('focusin', onFocus);
      scroller.removeEventListener('scrollend', onScroll);
      scroller.removeEventListener('wheel', onWheel);
      scroller.removeEventListener('touchmove', onWheel);
    };
  }, []);
  return ref;
}

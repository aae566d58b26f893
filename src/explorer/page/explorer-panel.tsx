/**
 * The pane in which fields are chosen, made to keep to itself: its inputs take the focus whenever they appear, and
 * the place that was scrolled to with it.
 */
import { explorerPlugin } from '@graphiql/plugin-explorer';
import type { GraphiQLPlugin } from '@graphiql/react';
import { useEffect, useRef } from 'react';

export function quietExplorerPlugin(): GraphiQLPlugin {
  const { content: Content, ...plugin } = explorerPlugin();
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

/** Gives the focus back where neither a pointer nor a key has just brought it into the element. */
function useFocusOnlyByUser() {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const panel = ref.current!;
    let isByUser = false;
    let scrolledTo = 0;
    const scroller = (): Element | null => panel.querySelector('.graphiql-explorer-root > div');
    const onInput = (event: Event): void => {
      const isMeant = event instanceof KeyboardEvent ? true : panel.contains(event.target as Node);
      if (!isMeant) return;
      isByUser = true;
      setTimeout(() => (isByUser = false));
    };
    const onFocus = ({ target, relatedTarget }: FocusEvent): void => {
      if (isByUser || panel.contains(relatedTarget as Node | null)) return;
      const place = scrolledTo;
      if (relatedTarget instanceof HTMLElement) relatedTarget.focus({ preventScroll: true });
      else (target as HTMLElement).blur();
      requestAnimationFrame(() => scroller()?.scrollTo({ top: place }));
    };
    const onScroll = (): void => {
      scrolledTo = scroller()?.scrollTop ?? 0;
    };
    document.addEventListener('pointerdown', onInput, true);
    document.addEventListener('keydown', onInput, true);
    panel.addEventListener('focusin', onFocus);
    panel.addEventListener('scrollend', onScroll, true);
    return () => {
      document.removeEventListener('pointerdown', onInput, true);
      document.removeEventListener('keydown', onInput, true);
      panel.removeEventListener('focusin', onFocus);
      panel.removeEventListener('scrollend', onScroll, true);
    };
  }, []);
  return ref;
}

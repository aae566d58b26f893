/**
 * Arrows that scroll the list of tabs when it overflows.
 */
import { useGraphiQL } from '@graphiql/react';
import { useEffect, useState } from 'react';

const listOfTabs = (): HTMLElement | null => document.querySelector('.graphiql-tabs');

export function TabArrows() {
  const tabs = useGraphiQL((state) => state.tabs);
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    const list = listOfTabs();
    if (!list) return undefined;
    const measure = (): void => setFull(list.scrollWidth > list.clientWidth + 1);
    const watching = new ResizeObserver(measure);
    watching.observe(list);
    for (const tab of list.children) watching.observe(tab);
    measure();
    return () => watching.disconnect();
  }, [tabs]);
  if (!isFull) return null;
  return (
    <span className="tab-arrows">
      <button type="button" aria-label="Earlier tabs" onClick={() => scroll(-1)}>
        ‹
      </button>
      <button type="button" aria-label="Later tabs" onClick={() => scroll(1)}>
        ›
      </button>
    </span>
  );
}

function scroll(direction: 1 | -1): void {
  const list = listOfTabs();
  // Consecutive views overlap by a quarter.
  list?.scrollBy({ left: direction * list.clientWidth * 0.75, behavior: 'smooth' });
}

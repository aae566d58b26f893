/** GraphiQL's documentation, with a "+" next to each field that puts it into the query. */
import { DOC_EXPLORER_PLUGIN, DocExplorer, useDocExplorer } from '@graphiql/plugin-doc-explorer';
import {
  DocsFilledIcon,
  DocsIcon,
  markdown,
  useGraphiQL,
  type GraphiQLPlugin,
} from '@graphiql/react';
import { isInterfaceType, isObjectType } from 'graphql';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { createPortal } from 'react-dom';
import { addField, addVariables, variablesToGive, type ParentType } from './add-field.ts';

// Routes break before a slash, and nowhere else: `GET /v0/pages` is one part.
markdown.renderer.rules['code_inline'] = (tokens, index) => {
  const parts = tokens[index]!.content.split(/(?<=[^ ])(?<!\/v0)(?=\/)/).map((part) => {
    const text = markdown.utils.escapeHtml(part);
    return part.includes('/') ? `<span>${text}</span>` : text;
  });
  return `<code>${parts.join('<wbr>')}</code>`;
};

export const DOCUMENTATION_PLUGIN: GraphiQLPlugin = {
  title: DOC_EXPLORER_PLUGIN.title,
  icon: function Icon() {
    const isOpen = useGraphiQL((state) => state.visiblePlugin === DOCUMENTATION_PLUGIN);
    return isOpen ? <DocsFilledIcon /> : <DocsIcon />;
  },
  content: Documentation,
};

function Documentation() {
  const panel = useRef<HTMLDivElement>(null);
  const items = useFieldItems(panel);
  const shown = useDocExplorer().at(-1);
  const type = shown?.def;
  // Another type or field begins at its top.
  useEffect(() => {
    panel.current?.closest('.graphiql-plugin')?.scrollTo({ top: 0 });
  }, [shown]);
  const isParent = isObjectType(type) || isInterfaceType(type);
  return (
    <div ref={panel} className="documentation">
      <DocExplorer />
      {isParent &&
        items
          .filter(({ field }) => field in type.getFields())
          .map(({ element, field }) =>
            createPortal(<AddField parent={type} field={field} />, element, field),
          )}
    </div>
  );
}

/** The items of the documentation's list, which accepts no children, as targets for portals. */
function useFieldItems(panel: RefObject<HTMLDivElement | null>) {
  const [items, setItems] = useState<readonly { element: Element; field: string }[]>([]);
  useEffect(() => {
    const find = (): void => {
      const links = panel.current!.querySelectorAll(
        '.graphiql-doc-explorer-item .graphiql-doc-explorer-field-name',
      );
      const found = [...links].map((link) => ({
        element: link.closest('.graphiql-doc-explorer-item')!,
        field: link.textContent,
      }));
      setItems(found);
    };
    const watching = new MutationObserver(find);
    watching.observe(panel.current!, { subtree: true, childList: true, characterData: true });
    find();
    return () => watching.disconnect();
  }, [panel]);
  return items;
}

/** How long the message of a "+" is shown, in milliseconds. */
const SAID_MS = 8_000;

function sentenceOf(field: string, missing: readonly string[]): string {
  const toGive = missing.map((name) => `$${name}`).join(' and ');
  return `${field} was added.${toGive && ` Set ${toGive} under Variables.`}`;
}

function AddField({ parent, field }: { parent: ParentType; field: string }) {
  const schema = useGraphiQL((state) => state.schema);
  const editor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  const [said, say] = useState('');
  useEffect(() => {
    const hiding = setTimeout(() => say(''), SAID_MS);
    return () => clearTimeout(hiding);
  }, [said]);
  const add = (): void => {
    const model = editor?.getModel();
    if (!schema || !editor || !model) return;
    const cursor = model.getOffsetAt(editor.getPosition() ?? { lineNumber: 1, column: 1 });
    const added = addField({ schema, parent, field }, model.getValue(), cursor);
    if ('problem' in added) {
      say(added.problem);
      return;
    }
    // One undo step.
    editor.pushUndoStop();
    editor.executeEdits('documentation', [{ range: model.getFullModelRange(), text: added.text }]);
    editor.pushUndoStop();
    // The next field of its type goes inside.
    const start = model.getPositionAt(added.offset);
    const end = model.getPositionAt(added.offset + field.length);
    const isObject = /^[^\n]*\{/.test(added.text.slice(added.offset));
    const inside = added.text.indexOf('{', added.offset) + 1;
    editor.setPosition(isObject ? model.getPositionAt(inside) : end);
    editor.revealPositionInCenterIfOutsideViewport(start);
    const given = variableEditor?.getValue() ?? '';
    if (added.variables.length > 0) variableEditor?.setValue(addVariables(given, added.variables));
    say(sentenceOf(field, variablesToGive(given, added.variables)));
  };
  return (
    <>
      <button
        type="button"
        className="add-field"
        aria-label={`Add ${field} to the query`}
        onClick={add}
      >
        +
      </button>
      <output className="add-field-said">{said}</output>
    </>
  );
}

/**
 * The text of an editor as a hook.
 */
import { useGraphiQL } from '@graphiql/react';
import { useEffect, useState } from 'react';

/** The current text; empty until the editor has loaded. */
export function useEditorText(name: 'queryEditor' | 'variableEditor' | 'headerEditor'): string {
  const editor = useGraphiQL((state) => state[name]);
  const [text, setText] = useState('');
  useEffect(() => {
    if (!editor) return undefined;
    setText(editor.getValue());
    const listening = editor.onDidChangeModelContent(() => setText(editor.getValue()));
    return () => listening.dispose();
  }, [editor]);
  return text;
}

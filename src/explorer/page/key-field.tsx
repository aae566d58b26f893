/**
 * Where the API key is entered, once a tab.
 */
import { useState } from 'react';
import { useApiKey, writeApiKey } from '../exchange/api-key.ts';

/** @param onChange told when another key is in use: what was asked before may now be answered. */
export function KeyField({ onChange }: { onChange: () => void }) {
  const key = useApiKey();
  const [draft, setDraft] = useState(key);
  const use = () => {
    if (draft.trim() === key) return;
    writeApiKey(draft);
    onChange();
  };
  return (
    <form
      className={key ? 'key-field' : 'key-field key-missing'}
      onSubmit={(event) => {
        event.preventDefault();
        use();
      }}
    >
      <label>
        API key
        <input
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={draft}
          placeholder="x-api-key"
          onChange={({ target }) => setDraft(target.value)}
          onBlur={use}
        />
      </label>
      {!key && <span>Enter a key: every operation is sent with it.</span>}
    </form>
  );
}

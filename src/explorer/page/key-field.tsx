/**
 * Where the API key is entered, once a tab.
 */
import { useState } from 'react';
import { useApiKey, writeApiKey } from '../exchange/api-key.ts';

export function KeyField({ needsKey }: { needsKey: boolean }) {
  const key = useApiKey();
  const [draft, setDraft] = useState(key);
  const isMissing = needsKey && !key;
  const use = () => {
    if (draft.trim() !== key) writeApiKey(draft);
  };
  return (
    <form
      className={isMissing ? 'key-field key-missing' : 'key-field'}
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
      {isMissing && <span>Enter a key: every operation is sent with it.</span>}
    </form>
  );
}

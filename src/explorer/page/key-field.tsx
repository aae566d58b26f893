/**
 * The field for the API key.
 */
import { useState } from 'react';
import { useApiKey, useIsKeyRejected, writeApiKey } from '../exchange/api-key.ts';

interface KeyFieldProps {
  readonly isMissing: boolean;
  /** The id of the element with the hint. */
  readonly hintId: string;
}

export function KeyField({ isMissing, hintId }: KeyFieldProps) {
  const key = useApiKey();
  const isRejected = useIsKeyRejected();
  const [draft, setDraft] = useState(key);
  const use = () => {
    if (draft.trim() !== key) writeApiKey(draft);
  };
  return (
    <form
      className={isMissing || isRejected ? 'key-field key-missing' : 'key-field'}
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
          aria-invalid={isRejected}
          aria-describedby={hintId}
          onChange={({ target }) => setDraft(target.value)}
          onBlur={use}
        />
      </label>
    </form>
  );
}

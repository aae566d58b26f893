/**
 * Environments: named sets of headers in this browser, which one click copies into the header editor. They are not in
 * links or the history.
 */
import { useGraphiQL, type GraphiQLPlugin } from '@graphiql/react';
import { useState } from 'react';
import { createChanges, NOT_KEPT, say, session, storedList } from '../state.ts';

interface Environment {
  readonly name: string;
  readonly headers: string;
}

const IN_USE = 'content-pages:environment';
const environments = storedList<Environment>('content-pages:environments');
const changes = createChanges();

/** The environment in use in this tab of the browser, as saved; undefined for none. */
export const environmentInUse = (): Environment | undefined =>
  environments.read().find(({ name }) => name === session.get(IN_USE));

function chooseEnvironment(name: string | undefined): void {
  session.set(IN_USE, name ?? '');
  changes.notify();
}

export const ENVIRONMENTS_PLUGIN: GraphiQLPlugin = {
  title: 'Environments',
  icon: EnvironmentsIcon,
  content: Environments,
};

function Environments() {
  const saved = environments.useItems();
  const inUse = changes.useValue(environmentInUse);
  const headerEditor = useGraphiQL((state) => state.headerEditor);
  const [name, setName] = useState('');
  const choose = (chosen: string | undefined, headers: string): void => {
    chooseEnvironment(chosen);
    headerEditor?.setValue(headers);
  };
  return (
    <section className="documents" aria-label="Environments">
      <h2>Environments</h2>
      <p>
        Named sets of headers, for example for staging. Select one to copy it into “Headers” next to
        the variables.
      </p>
      <ul>
        <li>
          <button type="button" aria-pressed={!inUse} onClick={() => choose(undefined, '')}>
            None
          </button>
        </li>
        {saved.map((one) => (
          <li key={one.name}>
            <button
              type="button"
              aria-pressed={one.name === inUse?.name}
              onClick={() => choose(one.name, one.headers)}
            >
              {one.name}
            </button>
            <button
              type="button"
              aria-label={`Delete ${one.name}`}
              onClick={() => environments.remove(one.name)}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <form
        className="save-environment"
        onSubmit={(event) => {
          event.preventDefault();
          const headers = headerEditor?.getValue() ?? '';
          if (!environments.save({ name: name.trim(), headers }))
            say(`Saved as ${name.trim()} ${NOT_KEPT}.`);
          chooseEnvironment(name.trim());
          setName('');
        }}
      >
        <label>
          Save the headers of this tab as
          <input
            value={name}
            onChange={({ target }) => setName(target.value)}
            required
            pattern=".*\S.*"
          />
        </label>
        <button type="submit">Save</button>
      </form>
      <p>
        Environments stay in this browser until you delete them here. Links, history and copied code
        never contain them.
      </p>
    </section>
  );
}

function EnvironmentsIcon() {
  return (
    <svg viewBox="0 0 14 14" fill="none" stroke="currentColor" strokeWidth="1.2" aria-hidden="true">
      <path d="M1.5 3.5h3M7.5 3.5h5M1.5 7h6.5M11 7h1.5M1.5 10.5h1.5M6 10.5h6.5" />
      <circle cx="6" cy="3.5" r="1.4" />
      <circle cx="9.5" cy="7" r="1.4" />
      <circle cx="4.5" cy="10.5" r="1.4" />
    </svg>
  );
}

/**
 * The page's entry: settings, key, workers, then the application.
 */
import 'graphiql/style.css';
import '@graphiql/plugin-explorer/style.css';
import './explorer.css';
import './workers/workers.ts';
import { createRoot } from 'react-dom/client';
import { Explorer } from './explorer.tsx';
import { offerApiKey } from './exchange/api-key.ts';
import { readSettings } from './settings.ts';

const settings = readSettings(document);
if (settings.apiKey) offerApiKey(settings.apiKey);
createRoot(document.getElementById('explorer')!).render(<Explorer settings={settings} />);

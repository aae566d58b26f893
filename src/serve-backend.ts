/** The process of `npm run backend`: only the embedded backend, with settings of the gateway. */
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeNoArguments } from './app/commands/terminal.ts';
import { openBackend } from './backend/backend.ts';
import { readConfig } from './app/config.ts';
import { urlHost } from './gateway/http/http-server.ts';
import { createLogger } from './gateway/observe/logs/logger.ts';
import { exitAfterFailure, stopOnSignals, surviveRejections } from './app/process/lifecycle.ts';
import { versionOf } from './app/process/build.ts';
import { linesOf } from './app/commands/settings-list.ts';
import { SETTINGS } from './app/settings/table.ts';
import { portError } from './app/process/ports.ts';
import { ADDRESS_MS } from './rest/transport/connections.ts';

const { http: listening, embedded: data, process: ofProcess } = SETTINGS;
const HELP = `
npm run backend
node dist/backend.js [--help | --version]

Serves only the embedded backend with sample data, for gateways in other processes. Takes no arguments. Settings are
environment variables. HOST and PORT set the address.
${linesOf([data, listening, ofProcess])}
`;
takeNoArguments(HELP, versionOf());

try {
  const { http, embedded, process: own, warnings } = readConfig(process.env);
  const { host, port } = http;
  const logger = await createLogger({ level: own.logLevel, pretty: process.stdout.isTTY });
  for (const warning of warnings) logger.warn(warning);
  surviveRejections(logger);
  // For a remote database.
  setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_MS);
  const onFailure = (failure: object) => logger.error(failure, 'Backend failed');
  const backend = await openBackend({ ...embedded, host, port, onFailure }).catch(
    (error: Error) => {
      throw portError(error, { host, port }, 'PORT');
    },
  );
  stopOnSignals(logger, own, async ({ drainDelayMs, shutdownTimeoutMs }) => {
    await sleep(drainDelayMs);
    return backend.close(shutdownTimeoutMs);
  });
  const url = `http://${urlHost(host)}:${backend.port}`;
  // Logged at every level, like the gateway's address.
  logger.child({}, { level: 'info' }).info({ url }, `Ready: backend at ${url}`);
} catch (error) {
  exitAfterFailure(error);
}

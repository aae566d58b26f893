/** Logs what is read from the folder of trusted documents. */
import type { TrustedObserver } from '../../documents/trusted-documents.ts';
import type { Logger } from './logger.ts';

export const trustedLog = (logger: Logger): TrustedObserver => ({
  onRead: ({ files, documents }) => logger.info({ files, documents }, 'Trusted documents loaded'),
  onBadFile: (bad) =>
    logger.error(bad, 'Bad file in TRUSTED_DOCUMENTS: still serving the last good set'),
  onInvalidDocument: (document) =>
    logger.warn(document, 'Trusted document is not valid against the schema'),
});

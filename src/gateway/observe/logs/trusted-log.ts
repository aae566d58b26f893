/** Logs what is read from the folder of trusted documents. */
import type { TrustedObserver } from '../../documents/trusted-documents.ts';
import type { Logger } from './logger.ts';

export const trustedLog = (logger: Logger): TrustedObserver => ({
  onRead: ({ files, documents }) => logger.info({ files, documents }, 'Trusted documents are read'),
  onBadFile: (bad) =>
    logger.error(bad, 'Bad file of trusted documents: the last good set is served'),
  onInvalidDocument: (document) =>
    logger.warn(document, 'The schema does not serve a trusted document'),
});

/**
 * What `npm run build` has made, and where it is.
 */
import { join } from 'node:path';

const isBuilt = !import.meta.filename.endsWith('.ts');

/** `dist/`: the folder of this file when it is built as well. */
const DIST = isBuilt ? import.meta.dirname : join(import.meta.dirname, '../../../dist');

/** GraphiQL's build. */
export const EXPLORER_FOLDER = join(DIST, 'explorer');

/** Usage of the schema by apps, reported at `/usage`. */
import type { Open } from '../../gateway/extension.ts';
import { usageExtension } from './usage-extension.ts';

export const open: Open<object> = () => usageExtension();

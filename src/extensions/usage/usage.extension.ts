/** What apps ask for, told at `/usage`. */
import type { Open } from '../../gateway/extension.ts';
import { usageExtension } from './usage-extension.ts';

export const open: Open<object> = () => usageExtension();

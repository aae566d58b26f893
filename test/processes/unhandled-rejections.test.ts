/** A rejection that no one handles. */
import { expect, it } from 'vitest';
import { send } from '../support/client.ts';
import { startProcess } from '../support/gateway-process.ts';
import { until } from '../support/until.ts';

// Windows has no such signal.
it.skipIf(process.platform === 'win32')(
  'an unhandled rejection is logged and counted, and the process continues',
  async () => {
    const mistake = `process.on('SIGUSR2',()=>{Promise.reject(new Error('nobody waits'))})`;
    const product = startProcess({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(mistake)}`,
    });
    const url = await product.ready();
    product.process.kill('SIGUSR2');

    await until(async () =>
      expect((await send(new URL('/metrics', url).href)).text).toContain(
        'gateway_unhandled_rejections_total 1',
      ),
    );
    await until(() => expect(product.stdout).toContain('nobody waits'));
  },
);

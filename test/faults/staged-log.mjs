/** Loaded into a gateway: while the file of `STAGED_LOG` exists, writes to standard output fail with the code in it. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { write, writeSync } = fs;

function failure() {
  if (!fs.existsSync(process.env.STAGED_LOG)) return undefined;
  const code = fs.readFileSync(process.env.STAGED_LOG, 'utf8');
  return Object.assign(new Error(`${code}, write`), { code });
}

fs.write = (fd, ...args) => {
  const error = fd === 1 && failure();
  if (error) process.nextTick(args.at(-1), error);
  else write(fd, ...args);
};
fs.writeSync = (fd, ...args) => {
  const error = fd === 1 && failure();
  if (error) throw error;
  return writeSync(fd, ...args);
};
syncBuiltinESMExports();

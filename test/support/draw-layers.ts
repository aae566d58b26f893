/** Draws the layers into docs/architecture.md again: `npm run docs:layers`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { takeNoArguments } from '../../src/app/commands/terminal.ts';
import { drawLayers } from './layers.ts';

const PAGE = 'docs/architecture.md';

takeNoArguments(`
npm run docs:layers

Draws the layers into ${PAGE} again. Takes no arguments.
`);

const page = readFileSync(PAGE, 'utf8');
writeFileSync(PAGE, page.replace(/(```mermaid\n)[^`]*(\n```)/, `$1${drawLayers()}$2`));

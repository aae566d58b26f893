/** Counts the schema coordinates of executed operations, and reports them at `/usage`. */
import type { Extension } from '../../gateway/extension.ts';
import { forGet } from '../../gateway/http/site.ts';
import { Usage } from './usage.ts';

export function usageExtension(): Extension {
  // Set with the gateway, before its first operation.
  let usage!: Usage;
  return {
    policies: {
      usage: {
        execute(operation, next) {
          usage.count(operation);
          return next(operation);
        },
        // Counted once, at its start.
        subscribe(operation, next) {
          usage.count(operation);
          return next(operation);
        },
      },
    },
    prepare: (document) => usage.prepare(document),
    operatorRoutes({ schema }) {
      usage = new Usage(schema);
      return { '/usage': forGet(async () => Response.json(usage.report())) };
    },
  };
}

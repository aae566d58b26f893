/** How descriptions of fields say what a field costs. */
import type { Route } from '../../v0/routes.ts';

/** `description`, and the route that the field costs. */
export const costing = (description: string, { method, path }: Route): string =>
  `${description} Costs \`${method} ${path}\`.`;

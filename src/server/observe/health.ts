/** What `/health` says, which is 200 while the process lives. */
export const HEALTH = { status: 'alive' };

/** Ids of the sample data that others may point at: the example query, tests, the pages of docs/. */

/** The page that has the most to show: audiences, persons, versions, links. */
export const EXAMPLE_PAGE_ID = 'page_northwind';

/** The key that sees the sample data. */
export const EXAMPLE_API_KEY = 'demo';

/** A second tenant's key: it sees other data, and none of the first's. */
export const OTHER_API_KEY = 'demo-two';

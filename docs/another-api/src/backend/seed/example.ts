/** What others may point at. */
export const EXAMPLE_PAGE_ID = 'issue_1';
export const EXAMPLE_API_KEY = 'demo';

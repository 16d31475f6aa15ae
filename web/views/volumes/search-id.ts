/** The search of volumes is found by this from everywhere. */
export const SEARCH_ID = 'volume-search';

// What the search of the documents looks at, when its index is made and when it is asked.

import type { Options } from 'minisearch';

/** A section of a page, as the search has it. */
export interface FoundSection {
  readonly id: number;
  /** where it stands in the site, with its anchor */
  readonly link: string;
  /** title of its page */
  readonly page: string;
  readonly heading: string;
  readonly text: string;
  /** how its text begins */
  readonly shown: string;
}

export const searchOptions: Options<FoundSection> = {
  fields: ['heading', 'page', 'text'],
  storeFields: ['link', 'page', 'heading', 'shown'],
  searchOptions: {
    boost: { heading: 4, page: 2 },
    prefix: true,
    // one letter in five may be wrong; short words are taken as they are
    fuzzy: (term) => (term.length > 3 ? 0.2 : false),
    combineWith: 'AND',
  },
};

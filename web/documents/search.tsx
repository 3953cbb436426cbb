// The search over all documents: the index is loaded when somebody means to ask.

import { signal } from '@preact/signals';
import MiniSearch, { type SearchResult } from 'minisearch';
import type { VNode } from 'preact';
import { type FoundSection, searchOptions } from './found-sections.js';

type Found = SearchResult & Pick<FoundSection, 'link' | 'page' | 'heading' | 'shown'>;

const mostFound = 12;
/** where the site begins */
const siteRoot = new URL('.', import.meta.url);

const asked = signal('');
const index = signal<MiniSearch<FoundSection> | null>(null);
let loading: Promise<void> | null = null;

/** Loads the index, once. */
function load(): void {
  loading ??= import(new URL('search-index.js', siteRoot).href).then(({ default: json }: { default: string }) => {
    index.value = MiniSearch.loadJSON(json, searchOptions);
  });
}

export function Search(): VNode {
  const words = asked.value.trim();
  const all = words === '' || index.value === null ? [] : (index.value.search(words) as Found[]);
  const said =
    words === ''
      ? ''
      : index.value === null
        ? 'Loading what there is to find …'
        : all.length === 0
          ? 'Nothing has all of these words.'
          : `${all.length} ${all.length === 1 ? 'place' : 'places'}${all.length > mostFound ? `, the best ${mostFound} of them` : ''}`;
  return (
    <search
      onKeyDown={(event) => {
        if (event.key === 'Escape') asked.value = '';
      }}
    >
      <input
        type="search"
        aria-label="Search all documents"
        placeholder="Search"
        data-testid="search"
        value={asked.value}
        onFocus={load}
        onInput={(event) => {
          load();
          asked.value = event.currentTarget.value;
        }}
      />
      <p class="unseen" role="status">
        {said}
      </p>
      {words === '' ? null : (
        <div class="found" data-testid="found">
          <p class="faint" aria-hidden="true">
            {said}
          </p>
          <ol>
            {all.slice(0, mostFound).map(({ id, link, page, heading, shown }) => (
              <li key={id}>
                <a href={new URL(link, siteRoot).href} onClick={() => (asked.value = '')}>
                  {heading}
                </a>
                {page === heading ? null : <span class="faint"> in {page}</span>}
                <p class="faint">{shown}</p>
              </li>
            ))}
          </ol>
        </div>
      )}
    </search>
  );
}

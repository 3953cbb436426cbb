// A page that says how far something long is, and loads itself again until it has ended.
// Invariants: every text is escaped; nothing is loaded from elsewhere, and no script runs.

import { escaped } from '../svg-text.js';
import { cardHtml } from './page-shell.js';
import { pageStyle } from './page-style.js';

/** How every such page begins: it may be replaced by the next. */
export const standingMark = '<!doctype html>\n<!-- how far a sweep of Weft is -->\n';

/** Seconds after which a browser loads the page again. */
const reloadSeconds = 2;

/** Something that went wrong. */
export interface NamedFailure {
  readonly name: string;
  readonly why: string;
}

/** What the page says. */
export interface ShownStanding {
  readonly title: string;
  /** how it stands, in a sentence */
  readonly sentence: string;
  /** whether it goes on: the page loads itself again then */
  readonly isRunning: boolean;
  /** done, 0 to 1 */
  readonly share: number;
  readonly figures: readonly { readonly label: string; readonly text: string }[];
  /** the latest */
  readonly failures: readonly NamedFailure[];
}

/** The page as HTML. */
export function standingPage({ title, sentence, isRunning, share, figures, failures }: ShownStanding): string {
  const percent = Math.floor(100 * share);
  const failed =
    failures.length === 0
      ? ''
      : `<section><h2>What failed last</h2><div class="panel long"><div class="scroll"><table class="stacked"><thead><tr><th scope="col">Run</th><th scope="col">Why</th></tr></thead><tbody>${failures
          .map(
            ({ name, why }) =>
              `<tr><td data-label="Run">${escaped(name)}</td><td data-label="Why">${escaped(why)}</td></tr>`,
          )
          .join('')}</tbody></table></div></div></section>`;
  return (
    `${standingMark}<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none';style-src 'unsafe-inline'">` +
    `${isRunning ? `<meta http-equiv="refresh" content="${reloadSeconds}">` : ''}` +
    `<title>${escaped(isRunning ? `${percent} % ${title}` : title)}</title><style>${pageStyle()}progress{width:100%;height:18px;accent-color:var(--accent)}</style></head>` +
    `<body><header class="top"><div><h1>${escaped(title)}</h1><p class="by">${escaped(sentence)}</p></div></header><main>` +
    `<section><progress max="1" value="${share}" aria-label="done">${percent} %</progress></section>` +
    `<section><div class="cards">${figures.map(({ label, text }) => cardHtml(label, text)).join('')}</div></section>${failed}</main></body></html>\n`
  );
}

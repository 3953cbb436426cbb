// What held the run up, as `weft diagnose` finds it: what it cost, what was seen, what to try. A click on a link shows it at
// the time of its highest load.

import type { VNode } from 'preact';
import type { RunView } from '#weft/app/view/run-view.js';
import { formatTimePs } from '#weft/base/units.js';
import { type SaidFinding, titleOf } from '#weft/report/diagnosis/diagnosis-object.js';
import { chooseLink, peakBin } from './state.js';

/** links of a finding that are shown */
const mostLinks = 4;

function Finding({ finding, view }: { readonly finding: SaidFinding; readonly view: RunView }): VNode {
  const { evidence, links, suggestion, lostNs, share } = finding;
  const places = links
    .slice(0, mostLinks)
    .map(({ from, to }) => view.links.indexOf(`${from} -> ${to}`))
    .filter((place) => place >= 0);
  return (
    <li>
      <strong>{titleOf(finding)}</strong>: {formatTimePs(Math.round(lostNs * 1000))} lost, {Math.round(100 * share)} %
      of the time with flows.
      <ul>
        {evidence.map((text) => (
          <li>{text}</li>
        ))}
        {places.length === 0 ? null : (
          <li>
            look at{' '}
            {places.map((place, i) => (
              <>
                {i === 0 ? '' : ', '}
                <button onClick={() => chooseLink(place, peakBin(place))}>{view.links[place]}</button>
              </>
            ))}
          </li>
        )}
        <li>to try: {suggestion}</li>
      </ul>
    </li>
  );
}

/** The findings of the run; nothing where nobody looked, or nothing was found. */
export function Findings({
  json,
  view,
}: {
  readonly json: Readonly<Record<string, unknown>>;
  readonly view: RunView;
}): VNode | null {
  const found = json['findings'] as readonly SaidFinding[] | null | undefined;
  if (found === null || found === undefined || found.length === 0) return null;
  return (
    <ol class="findings" data-testid="findings">
      {found.map((finding) => (
        <Finding finding={finding} view={view} />
      ))}
    </ol>
  );
}

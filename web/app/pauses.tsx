// The pauses of a lossless fabric that lasted longest: a click goes to where and when.

import type { VNode } from 'preact';
import type { RunView } from '#weft/app/view/run-view.js';
import { formatTimePs } from '#weft/base/units.js';
import { binOfTime, chooseLink } from './state.js';

const mostShown = 12;

export function Pauses({ view }: { readonly view: RunView }): VNode | null {
  if (view.pauseCount === 0) return null;
  const shown = view.pauses.slice(0, mostShown);
  return (
    <section class="card" data-testid="pauses">
      <h2>The longest pauses</h2>
      <p class="faint">
        {view.pauseCount} {view.pauseCount === 1 ? 'time a switch' : 'times a switch'} told the sender of a link to
        wait, as what it sends wants to leave by a port that is full.
      </p>
      <div class="list">
        <table>
          <thead>
            <tr>
              <th>link that waited</th>
              <th>for</th>
              <th>from</th>
              <th>behind</th>
              <th>pauses down to the root</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ link, place, beginPs, endPs, cause, depth }) => (
              <tr>
                <td>
                  <button disabled={place < 0} onClick={() => chooseLink(place, binOfTime(view, beginPs))}>
                    {link}
                  </button>
                </td>
                <td>{formatTimePs(Math.round(endPs - beginPs))}</td>
                <td>{formatTimePs(Math.round(beginPs))}</td>
                <td>{cause}</td>
                <td>{depth}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

// Links and flows as lists: what carries most now, who shares it, and the slowest flows. Everything that the pictures show can
// be reached here by keyboard and screen reader.

import { computed } from '@preact/signals';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { RunView, ViewFlow } from '#weft/app/view/run-view.js';
import { formatSizeBytes, formatTimePs } from '#weft/base/units.js';
import { bin, binOfTime, chooseFlow, chooseLink, levelsOf, selection, waitingBytes } from './state.js';

const mostLinks = 12;
const mostFlows = 60;

/** The links that carry most now, or with most that waits, the highest first. One pass: it is asked for every step in time. */
function busyNow(view: RunView): number[] {
  const { links, bins } = view;
  const levels = levelsOf(view).links;
  const found: number[] = [];
  const load = (place: number): number => levels[place * bins + bin.value]!;
  let least = 0;
  for (let place = 0; place < links.length; place++) {
    const own = load(place);
    if (own <= least) continue;
    let at = found.length;
    while (at > 0 && load(found[at - 1]!) < own) at--;
    found.splice(at, 0, place);
    if (found.length > mostLinks) found.length = mostLinks;
    if (found.length === mostLinks) least = load(found[mostLinks - 1]!);
  }
  return found;
}

/** What waits at the sending end of a link now. */
function waitingText(view: RunView, place: number): string {
  const bytes = waitingBytes(view, place, bin.value);
  return bytes === 0 ? '' : formatSizeBytes(Number(bytes.toPrecision(2)));
}

/** What a list shows now, as a text: it is rendered again only where that changes, and not for each step in time. */
function useShown(make: () => string, inputs: readonly unknown[]): string {
  return useMemo(() => computed(make), inputs).value;
}

export function LinkList({ view }: { readonly view: RunView }): VNode {
  const percent = (place: number): number => Math.round((100 * view.linkLoads[place * view.bins + bin.value]!) / 255);
  const text = useShown(
    () =>
      busyNow(view)
        .map((place) => `${place}\t${percent(place)}\t${waitingText(view, place)}`)
        .join('\n'),
    [view],
  );
  const busy = text === '' ? [] : text.split('\n').map((own) => own.split('\t') as [string, string, string]);
  const hasQueues = view.linkQueues.length > 0;
  const own = selection.value;
  return (
    <div class="list" data-testid="links">
      <h3>Links now</h3>
      {busy.length === 0 ? <p class="faint">Nothing is sent at this time.</p> : null}
      <table>
        <thead>
          <tr>
            <th>link</th>
            <th>load</th>
            {hasQueues ? <th>waiting</th> : null}
          </tr>
        </thead>
        <tbody>
          {busy.map(([place, load, waiting]) => (
            <tr class={own?.kind === 'link' && own.place === Number(place) ? 'on' : ''}>
              <td>
                <button onClick={() => chooseLink(Number(place), bin.value)}>{view.links[Number(place)]}</button>
              </td>
              <td>{load} %</td>
              {hasQueues ? <td>{waiting}</td> : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Whether a flow is under way at the time that is shown. */
function isUnderWay(view: RunView, { startPs, finishPs }: ViewFlow): boolean {
  return binOfTime(view, startPs) <= bin.value && bin.value <= binOfTime(view, finishPs);
}

/** What is selected, in words, and whom it holds up or what held it up. */
export function SelectionText({ view }: { readonly view: RunView }): VNode {
  const own = selection.value;
  if (own === null) return <p class="faint">Choose a link or a flow: it is marked in all views.</p>;
  if (own.kind === 'link') {
    const crossing = view.flows.filter(({ links }) => links.includes(own.place));
    const now = crossing.filter((flow) => isUnderWay(view, flow));
    const waiting = waitingText(view, own.place);
    const slow = crossing.filter(({ slowdown }) => slowdown > 1.05);
    return (
      <p data-testid="selection">
        <strong>{view.links[own.place]}</strong>: {crossing.length} of the flows listed crossed it, {now.length} of them
        at this time.{' '}
        {slow.length === 0
          ? 'None took longer than alone.'
          : `${slow.length} took longer than alone, the slowest ${slow[0]!.slowdown.toFixed(2)} times.`}
        {waiting === '' ? '' : ` ${waiting} wait for it at this time.`}
      </p>
    );
  }
  const flow = view.flows[own.place]!;
  const shared = flow.links
    .map((place) => ({
      place,
      others: view.flows.filter(
        (other) =>
          other !== flow &&
          other.links.includes(place) &&
          other.startPs < flow.finishPs &&
          other.finishPs > flow.startPs,
      ).length,
    }))
    .sort((a, b) => b.others - a.others)[0];
  return (
    <p data-testid="selection">
      <strong>
        flow {flow.flow}, {flow.source} to {flow.destination}
      </strong>
      : {formatTimePs(flow.finishPs - flow.startPs)}, {flow.slowdown.toFixed(2)} times as long as alone.{' '}
      {shared === undefined || shared.others === 0 ? (
        'It shared no link with another flow listed.'
      ) : (
        <>
          It shared <button onClick={() => chooseLink(shared.place, bin.value)}>{view.links[shared.place]}</button> with{' '}
          {shared.others} other{shared.others === 1 ? '' : 's'} meanwhile.
        </>
      )}
    </p>
  );
}

export function FlowList({ view }: { readonly view: RunView }): VNode {
  const own = selection.value;
  const isOfLink = own?.kind === 'link';
  const shown = view.flows
    .map((flow, place) => ({ flow, place }))
    .filter(({ flow }) => !isOfLink || flow.links.includes(own.place))
    .slice(0, mostFlows);
  const underWay = useShown(
    () => shown.map(({ flow }) => Number(isUnderWay(view, flow))).join(''),
    [view, isOfLink ? own.place : -1],
  );
  return (
    <div class="list" data-testid="flows">
      <h3>{isOfLink ? `Flows over ${view.links[own.place]}` : 'Flows, the slowest first'}</h3>
      <table>
        <thead>
          <tr>
            <th>flow</th>
            <th>size</th>
            <th>took</th>
            <th>beside alone</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ flow, place }, row) => (
            <tr
              class={`${own?.kind === 'flow' && own.place === place ? 'on ' : ''}${underWay[row] === '1' ? 'live' : ''}`}
            >
              <td>
                <button onClick={() => chooseFlow(place)}>
                  {flow.source} to {flow.destination}
                </button>
              </td>
              <td>{formatSizeBytes(flow.sizeBytes)}</td>
              <td>{formatTimePs(flow.finishPs - flow.startPs)}</td>
              <td>{flow.slowdown.toFixed(2)} x</td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < view.flowCount ? (
        <p class="faint">
          {shown.length} of {view.flowCount} flows.
        </p>
      ) : null}
    </div>
  );
}

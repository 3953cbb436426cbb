// The page: a scenario, its run, and where its time went.

import { computed } from '@preact/signals';
import { render, type VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunView } from '#weft/app/view/run-view.js';
import { formatSizeBytes, formatTimePs } from '#weft/base/units.js';
import { Beside, KeepButton } from './beside.js';
import { Charts } from './charts.js';
import { Desk, examples } from './desk.js';
import { diagnosticText } from './editor.js';
import { Exports } from './exports.js';
import { FabricView } from './fabric-view.js';
import { HeatMap } from './heat-map.js';
import { FlowList, LinkList, SelectionText } from './lists.js';
import { changeLook, isDark } from './looks.js';
import { Pauses } from './pauses.js';
import { openFirst } from './places.js';
import {
  bin,
  chooseLink,
  diagnostics,
  engine,
  failure,
  goTo,
  isChanged,
  isRunning,
  keepText,
  lookAhead,
  machine,
  open,
  openKept,
  openShared,
  ownSight,
  quantity,
  range,
  run,
  runNow,
  selection,
  shareLink,
  timeOfBin,
  timePs,
  zoom,
} from './state.js';
import { Sweep } from './sweep.js';
import { Toolbox } from './toolbox.js';
import { Findings } from './why.js';

/** What the page tells programs. */
interface PageInterface {
  /** the first scenario has run */
  readonly ready: Promise<void>;
  run(yaml: string): Promise<{ readonly digest: string; readonly json: unknown }>;
  state(): {
    readonly time: number;
    readonly selection: string | null;
    readonly runs: readonly string[];
  };
}

declare global {
  interface Window {
    weft: PageInterface;
  }
}

/** for which it is said that something was done */
const saidMs = 8000;
/** frames of a whole run when it is played */
const playedFrames = 400;

const verdict = computed(() => {
  const found = run.value?.json['verdict'];
  return typeof found === 'string' ? found : '';
});

function Bar(): VNode {
  const [said, say] = useState('');
  const copy = async (): Promise<void> => {
    setTimeout(() => say(''), saidMs);
    const link = await shareLink();
    history.replaceState(null, '', link);
    try {
      await navigator.clipboard.writeText(link);
      say(machine === null ? 'The link is copied.' : 'The link is copied. It works here, while weft ui does.');
    } catch {
      say('The link stands in the address bar.');
    }
  };
  return (
    <header class="bar">
      <h1>Weft</h1>
      <p>
        A network of a GPU cluster, simulated {machine === null ? 'in this page' : 'here'}. Nothing leaves this machine.
      </p>
      <div class="tools">
        {machine === null ? <a href="docs/index.html">Documents</a> : null}
        <button onClick={() => void copy()} data-testid="share">
          Share
        </button>
        <button onClick={changeLook}>{isDark.value ? 'Light' : 'Dark'}</button>
      </div>
      <p class="said" role="status">
        {said}
      </p>
    </header>
  );
}

/** The time that is shown, in words. A step in time changes text and place alone: nothing is rendered for it. */
const timeText = computed(() => formatTimePs(Math.round(timePs.value)));

function Scrubber(): VNode | null {
  const view = run.value?.view;
  const [isPlaying, play] = useState(false);
  const frame = useRef(0);
  useEffect(() => {
    if (!isPlaying || view === undefined) return;
    const { from, to } = range.value;
    let at = bin.peek() >= to - 1 ? from : bin.peek();
    const step = (): void => {
      at += (to - from) / playedFrames;
      goTo(Math.min(to - 1, Math.floor(at)));
      if (at >= to - 1) play(false);
      else frame.current = requestAnimationFrame(step);
    };
    frame.current = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame.current);
  }, [isPlaying, view]);
  if (view === undefined) return null;
  return (
    <div class="scrubber">
      <button onClick={() => play(!isPlaying)} aria-label={isPlaying ? 'pause' : 'play'}>
        {isPlaying ? '❚❚' : '▶'}
      </button>
      <input
        type="range"
        data-testid="scrubber"
        aria-label="time"
        aria-valuetext={timeText}
        min={range.value.from}
        max={range.value.to - 1}
        value={bin}
        onInput={(event) => goTo(Number(event.currentTarget.value))}
      />
      <output>{timeText}</output>
      <div class="zoom">
        <button onClick={() => zoom(0.25)} aria-label="show less time, closer">
          +
        </button>
        <button onClick={() => zoom(4)} aria-label="show more time">
          −
        </button>
      </div>
    </div>
  );
}

/** What pictures of links show, where queues are known. */
function Quantities({ view }: { readonly view: RunView }): VNode | null {
  const { linkQueues, longestQueueBytes, bins } = view;
  if (linkQueues.length === 0) return null;
  const longest = linkQueues.indexOf(255);
  const [place, at] = [Math.floor(longest / bins), longest % bins];
  const show = (own: 'sent' | 'waiting'): void => {
    quantity.value = own;
    // a time at which nothing waits says little of queues
    const isEmpty = view.links.every((_, link) => linkQueues[link * bins + bin.value] === 0);
    if (own === 'waiting' && isEmpty) goTo(at);
  };
  return (
    <div class="quantities" role="group" aria-label="what pictures of links show">
      {(['sent', 'waiting'] as const).map((own) => (
        <button aria-pressed={quantity.value === own} onClick={() => show(own)} data-testid={own}>
          {own === 'sent' ? 'What is sent' : 'What waits'}
        </button>
      ))}
      <p class="faint" data-testid="longest-queue">
        The longest queue: {formatSizeBytes(Number(longestQueueBytes.toPrecision(3)))} for{' '}
        <button onClick={() => chooseLink(place, at)}>{view.links[place]}</button> at{' '}
        {formatTimePs(Math.round(timeOfBin(view, at)))}
      </p>
    </div>
  );
}

function Timeline(): VNode | null {
  const view = run.value?.view;
  if (view === undefined || view.timeline === null) return null;
  return (
    <section class="card" data-testid="timeline">
      <h2>What each rank did</h2>
      <div class="paper" dangerouslySetInnerHTML={{ __html: view.timeline }} />
    </section>
  );
}

function Results(): VNode {
  const made = run.value;
  if (made === null)
    return (
      <section class="results" aria-busy={isRunning.value}>
        <p class="faint">{isRunning.value ? 'Simulating …' : 'Nothing has run yet.'}</p>
      </section>
    );
  const { view, json, digest } = made;
  return (
    <section class="results" aria-label="results">
      <section class="card">
        <h2>What was slow, and why</h2>
        <p class="verdict" data-testid="verdict">
          {verdict.value}
        </p>
        <p class="faint">
          {String(json['outcome'])}: {String(json['finished'])} of {String(json['flows'])} flows after{' '}
          {formatTimePs(Math.round(Number(json['simulatedNs']) * 1000))}
          {isChanged.value ? '; the text has changed since' : ''} · digest {digest.slice(0, 12)}
        </p>
        <Findings json={json} view={view} />
        <div>
          <KeepButton />
        </div>
        <Exports />
      </section>
      <Beside />
      <section class="card">
        <h2>The fabric over time</h2>
        <Scrubber />
        <Quantities view={view} />
        <SelectionText view={view} />
        <FabricView view={view} sight={ownSight} />
        {view.note === '' ? null : <p class="faint">{view.note}</p>}
        <HeatMap view={view} sight={ownSight} />
      </section>
      <Pauses view={view} />
      <Timeline />
      <section class="card lists">
        <LinkList view={view} />
        <FlowList view={view} />
      </section>
      <Charts view={view} />
    </section>
  );
}

function App(): VNode {
  return (
    <>
      <Bar />
      <main class="app">
        <Desk />
        <div class="results">
          <Sweep />
          <Results />
          <Toolbox hasPages={machine === null} />
        </div>
      </main>
    </>
  );
}

async function begin(): Promise<void> {
  if (machine === null) engine.warm();
  const name = new URLSearchParams(location.hash.slice(1)).get('example');
  const linked = examples.find((own) => own.name === name);
  if (linked !== undefined) {
    open(linked);
    // a reload keeps what was typed since
    history.replaceState(null, '', location.pathname);
  }
  const isShared = linked !== undefined || (await openShared());
  if (!isShared && !openKept()) open(examples[0]!);
  keepText();
  const home = document.getElementById('app')!;
  home.replaceChildren();
  render(<App />, home);
  if (machine !== null && !isShared && (await openFirst(machine))) return;
  await Promise.all([lookAhead(), runNow()]);
  if (name !== null && linked === undefined)
    failure.value = `there is no example ${name}\nwanted: one of the list above`;
}

window.weft = {
  ready: begin(),
  run: async (yaml) => {
    open({ text: yaml, files: {} });
    const made = await runNow();
    if (made === null)
      throw new Error(failure.value || diagnostics.value.map(diagnosticText).join('\n') || 'a run is under way');
    return { digest: made.digest, json: made.json };
  },
  state: () => {
    const view = run.value?.view;
    const own = selection.value;
    return {
      time: timePs.value,
      selection:
        own === null || view === undefined
          ? null
          : own.kind === 'link'
            ? view.links[own.place]!
            : `flow ${view.flows[own.place]!.flow}`,
      runs: run.value === null ? [] : [run.value.digest],
    };
  },
};

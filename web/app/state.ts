// What the page shows, in one place: one scenario, one run, one time, one selection. Views read it and change it, and know
// nothing of each other.

import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Diagnostic } from '#weft/base/diagnostics.js';
import type { ViewedRun, ViewForecast, ViewRequest } from '#weft/app/view/view-scenario.js';
import type { RunView } from '#weft/app/view/run-view.js';
import { Engine, RefusedError } from './engine.js';
import { Machine } from './machine.js';
import { readShared, sharedHash } from './share.js';
import type { RunProgress } from './protocol.js';

/** Something that is looked at: a link by its place in the view, or a flow by its place in the list. */
export interface Selection {
  readonly kind: 'link' | 'flow';
  readonly place: number;
}

/** A part of the bins of a view: from one to before another. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** An example that the site has. */
export interface Example {
  readonly name: string;
  readonly question: string;
  readonly text: string;
  /** texts of files that it names, by path */
  readonly files: Readonly<Record<string, string>>;
}

export const engine = new Engine();
/** the machine that served the page, where one did: it runs what is run */
export const machine = Machine.here();
export const text = signal('');
/** files that the scenario may name */
const files = signal<Readonly<Record<string, string>>>({});
export const diagnostics = signal<readonly Diagnostic[]>([]);
export const forecast = signal<ViewForecast | null>(null);
export const run = signal<ViewedRun | null>(null);
/** text of the run that is shown */
export const shownText = signal('');
export const progress = signal<RunProgress | null>(null);
export const isRunning = signal(false);
/** somebody wants it to end */
export const isStopping = signal(false);
export const failure = signal('');
/** bin of the view that is shown */
export const bin = signal(0);
export const selection = signal<Selection | null>(null);
/** bins that pictures over time show: from the first to before the last */
export const range = signal<TimeRange>({ from: 0, to: 1 });
/** what pictures of links show: what is sent, or what waits to be */
export const quantity = signal<'sent' | 'waiting'>('sent');
export const isChanged = computed(() => run.value !== null && text.value !== shownText.value);

/** The time that is shown, in picoseconds. */
export const timePs = computed(() => {
  const view = run.value?.view;
  return view === undefined ? 0 : timeOfBin(view, bin.value);
});

/** What pictures of links show of a run, by line and by link, bin by bin; 255 is all that there can be. */
export function levelsOf(view: RunView): { readonly lines: Uint8Array; readonly links: Uint8Array } {
  return quantity.value === 'waiting' && view.linkQueues.length > 0
    ? { lines: view.lineQueues, links: view.linkQueues }
    : { lines: view.lineLoads, links: view.linkLoads };
}

/** Bytes that wait at the sending end of a link in a bin, at most. */
export function waitingBytes({ linkQueues, longestQueueBytes, bins }: RunView, place: number, at: number): number {
  return linkQueues.length === 0 ? 0 : (linkQueues[place * bins + at]! * longestQueueBytes) / 255;
}

/** When a bin begins. */
export function timeOfBin(view: { originPs: number; endPs: number; bins: number }, at: number): number {
  return view.originPs + ((view.endPs - view.originPs) * at) / view.bins;
}

/** The bin of a time, inside the run. */
export function binOfTime(view: { originPs: number; endPs: number; bins: number }, ps: number): number {
  const share = (ps - view.originPs) / Math.max(1, view.endPs - view.originPs);
  return Math.max(0, Math.min(view.bins - 1, Math.floor(share * view.bins)));
}

/** bins that are shown at least */
const leastShown = 32;

/** Shows so many times as much time around what is shown. @param times below 1: less of it, closer */
export function zoom(times: number): void {
  const view = run.value?.view;
  if (view === undefined) return;
  const { from, to } = range.value;
  const width = Math.round(Math.max(Math.min(leastShown, view.bins), Math.min(view.bins, (to - from) * times)));
  const first = Math.round(bin.value - (width * (bin.value - from)) / (to - from));
  const begin = Math.max(0, Math.min(view.bins - width, first));
  range.value = { from: begin, to: begin + width };
}

/** Goes to a bin; what is shown moves with it. */
export function goTo(at: number): void {
  const { from, to } = range.value;
  const most = run.value?.view.bins ?? 1;
  const next = Math.max(0, Math.min(most - 1, at));
  if (next < from || next >= to) {
    const begin = Math.max(0, Math.min(most - (to - from), next - ((to - from) >> 1)));
    range.value = { from: begin, to: begin + to - from };
  }
  bin.value = next;
}

/** Chooses a flow: the time moves into it. */
export function chooseFlow(place: number): void {
  const view = run.value?.view;
  const flow = view?.flows[place];
  if (view === undefined || flow === undefined) return;
  selection.value = { kind: 'flow', place };
  const [first, last] = [binOfTime(view, flow.startPs), binOfTime(view, flow.finishPs)];
  if (bin.value < first || bin.value > last) goTo((first + last) >> 1);
}

/** Chooses a link. @param at bin of the time to go to; left out: that of its highest load, if nothing is sent now */
export function chooseLink(place: number, at?: number): void {
  const view = run.value?.view;
  if (view === undefined || view.links[place] === undefined) return;
  selection.value = { kind: 'link', place };
  if (at !== undefined) goTo(at);
  else if (view.linkLoads[place * view.bins + bin.value] === 0) goTo(peakBin(place));
}

/** When the load of a link is highest. */
export function peakBin(place: number): number {
  const { linkLoads, bins } = run.value!.view;
  let best = 0;
  for (let i = 1; i < bins; i++) if (linkLoads[place * bins + i]! > linkLoads[place * bins + best]!) best = i;
  return best;
}

/** How pictures look at a run: when, how closely, what is marked, and what a click on a link does. */
export interface Sight {
  readonly bin: ReadonlySignal<number>;
  readonly range: ReadonlySignal<TimeRange>;
  /** places of links that are marked */
  readonly links: ReadonlySignal<readonly number[]>;
  /** @param at bin; left out: as `chooseLink` */
  readonly choose: (link: number, at?: number) => void;
  readonly clear: () => void;
}

function clearSelection(): void {
  selection.value = null;
}

/** places of the links that are selected, or that the selected flow takes */
const selectedLinks = computed<readonly number[]>(() => {
  const own = selection.value;
  if (own === null) return [];
  return own.kind === 'link' ? [own.place] : (run.value?.view.flows[own.place]?.links ?? []);
});

/** The run that is shown. */
export const ownSight: Sight = { bin, range, links: selectedLinks, choose: chooseLink, clear: clearSelection };

function shown(): RunView {
  return run.value!.view;
}

/** Another run at the time of the one that is shown, with the same links marked: those of the same names. */
export function besideSight(view: RunView): Sight {
  const places = new Map(view.links.map((name, place) => [name, place]));
  return {
    bin: computed(() => binOfTime(view, timePs.value)),
    range: computed(() => {
      const [from, to] = [range.value.from, range.value.to].map((at) => binOfTime(view, timeOfBin(shown(), at)));
      return { from: Math.min(from!, view.bins - 1), to: Math.max(to!, from! + 1) };
    }),
    links: computed(() =>
      selectedLinks.value.map((place) => places.get(shown().links[place]!)).filter((place) => place !== undefined),
    ),
    choose: (link, at) => {
      const place = shown().links.indexOf(view.links[link]!);
      const bin = at === undefined ? undefined : binOfTime(shown(), timeOfBin(view, at));
      if (place >= 0) chooseLink(place, bin);
      else if (bin !== undefined) goTo(bin);
    },
    clear: clearSelection,
  };
}

/** Whether a run began with what is selected on a link of the page; forgotten then. */
let wanted: { time: number | null; link: string | null; flow: number | null } | null = null;

/** What stands in the editor. */
function asked(): ViewRequest {
  return { text: text.value, file: 'scenario.yaml', files: files.value };
}

/** Shows a run. @param own text that it was made from */
function show(made: ViewedRun, own: string): void {
  const { view } = made;
  const { time, link, flow } = wanted ?? { time: null, link: null, flow: null };
  wanted = null;
  const [linkPlace, flowPlace] = [view.links.indexOf(link ?? ''), view.flows.findIndex((own) => own.flow === flow)];
  batch(() => {
    shownText.value = own;
    run.value = made;
    diagnostics.value = [];
    range.value = { from: 0, to: view.bins };
    bin.value = Math.min(view.bins - 1, Math.floor((time ?? 0.25) * view.bins));
    selection.value =
      flowPlace >= 0 ? { kind: 'flow', place: flowPlace } : linkPlace >= 0 ? { kind: 'link', place: linkPlace } : null;
  });
}

/** Shows a run that was made before, and puts its text into the editor. */
export function showAgain(made: ViewedRun, own: string): void {
  text.value = own;
  show(made, own);
}

/** Runs the scenario that stands in the editor. */
export function runNow(): Promise<ViewedRun | null> {
  return showRun((onProgress) => (machine ?? engine).run(asked(), onProgress));
}

/** a longer run is asked for twice, in CPU seconds */
const longSeconds = 120;
/** a text whose run would be long, and was asked for once */
const askedOnce = signal('');
/** what is asked for would be long: asked for again it runs */
export const isLong = computed(() => askedOnce.value !== '' && askedOnce.value === text.value);

/** Runs the scenario in the editor, as a person asks for it: one that takes long when asked again. */
export async function runAsked(): Promise<void> {
  await lookAhead();
  const seconds = forecast.value?.cpuSeconds ?? 0;
  if (seconds > longSeconds && !isLong.value) {
    askedOnce.value = text.value;
    return;
  }
  askedOnce.value = '';
  await runNow();
}

/** The run under way ends with what it has. */
export function stopNow(): void {
  isStopping.value = true;
  (machine ?? engine).stop();
}

/** Shows a run as soon as it is there. @param scenarioOf asked then, for a run that was read: its scenario */
export async function showRun(
  make: (onProgress: (now: RunProgress) => void) => Promise<ViewedRun>,
  scenarioOf?: () => string | undefined,
): Promise<ViewedRun | null> {
  if (isRunning.value) return null;
  const own = text.value;
  isRunning.value = true;
  isStopping.value = false;
  failure.value = '';
  progress.value = null;
  try {
    const made = await make((now) => (progress.value = now));
    const stored = scenarioOf?.();
    batch(() => {
      if (stored !== undefined) openShown(stored);
      show(made, stored ?? own);
    });
    return made;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    diagnostics.value = error.refusal.diagnostics;
    failure.value = error.refusal.text;
    return null;
  } finally {
    isRunning.value = false;
    progress.value = null;
  }
}

let newest = 0;
let newestLook = Promise.resolve();
/** what it is of */
let lookedAt: readonly unknown[] = [];

/** Asks what the scenario in the editor would take, and what is wrong with it. Ends when that is known of the newest text. */
export function lookAhead(): Promise<void> {
  const now = [text.value, files.value, machine?.scenario.value];
  if (now.every((own, i) => own === lookedAt[i])) return newestLook;
  lookedAt = now;
  clearTimeout(late);
  late = setTimeout(() => (isLate.value = true), lateMs);
  return (newestLook = look(++newest));
}

/** it takes a while to look at what stands in the editor: what is known is of another text */
export const isLate = signal(false);
const lateMs = 300;
let late: ReturnType<typeof setTimeout> | undefined;

async function look(own: number): Promise<void> {
  try {
    // what is no file of the machine is looked at here, which is quicker
    const found = await (machine?.scenario.value ? machine : engine).forecast(asked());
    if (own !== newest) return newestLook;
    forecast.value = found;
    diagnostics.value = found.warnings;
    failure.value = '';
  } catch (error) {
    if (own !== newest) return newestLook;
    if (!(error instanceof RefusedError)) throw error;
    forecast.value = null;
    if (text.value === storedText) return;
    diagnostics.value = error.refusal.diagnostics;
    failure.value = error.refusal.text;
  } finally {
    if (own === newest) {
      clearTimeout(late);
      isLate.value = false;
    }
  }
}

/** Puts an example into the editor. */
export function open(example: Pick<Example, 'text' | 'files'>): void {
  files.value = example.files;
  text.value = example.text;
  if (machine !== null) machine.scenario.value = null;
}

/** Scenario of a run that was read: files that it names may not be here, which is said once somebody changes or runs it. */
let storedText: string | null = null;

/** Puts the scenario of a run that was read into the editor. */
function openShown(own: string): void {
  storedText = own;
  open({ text: own, files: {} });
}

const keptAs = 'weft-scenario';

/** From now on the tab keeps what stands in the editor, so that a reload does not lose it. */
export function keepText(): void {
  effect(() => {
    try {
      sessionStorage.setItem(keptAs, JSON.stringify({ text: text.value, files: files.value }));
    } catch {
      // a tab without storage, or with too little of it, forgets it
    }
  });
}

/** Puts into the editor what stood there before the page was loaded again. @returns whether there was something */
export function openKept(): boolean {
  try {
    const kept = JSON.parse(sessionStorage.getItem(keptAs) ?? 'null') as Pick<Example, 'text' | 'files'> | null;
    if (kept === null || kept.text.trim() === '') return false;
    open(kept);
    return true;
  } catch {
    return false;
  }
}

/** The link of what is shown. */
export async function shareLink(): Promise<string> {
  const view = run.value?.view;
  const chosen = selection.value;
  const hash = await sharedHash({
    text: text.value,
    files: files.value,
    time: view === undefined ? null : (bin.value + 0.5) / view.bins,
    link: chosen?.kind === 'link' ? (view?.links[chosen.place] ?? null) : null,
    flow: chosen?.kind === 'flow' ? (view?.flows[chosen.place]?.flow ?? null) : null,
  });
  return `${location.href.replace(/#.*$/, '')}${hash}`;
}

/** What the link of the page brings into the editor. @returns whether it brought a scenario */
export async function openShared(): Promise<boolean> {
  const shared = await readShared(location.hash);
  if (shared === null) return false;
  open(shared);
  wanted = shared;
  return true;
}

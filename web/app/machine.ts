// The page's side of `weft ui`: what was named on its command line, and runs in processes of this machine. Where the page
// is a folder's, there is no machine.
// Invariant: the token leaves the link as soon as it is read, and the tab keeps it for a reload.

import { signal } from '@preact/signals';
import { runOfBytes } from '#weft/app/view/run-bytes.js';
import type { SweepView } from '#weft/app/view/sweep-view.js';
import type { ViewedRun, ViewForecast, ViewRequest } from '#weft/app/view/view-scenario.js';
import { RefusedError } from './engine.js';
import type { ViewRefusal } from '#weft/app/view/view-refusal.js';
import type { RunProgress } from './protocol.js';

/** Something that was named to `weft ui`, or lies in a folder that was. */
export interface Place {
  readonly number: number;
  readonly kind: 'run' | 'sweep' | 'scenario';
  readonly path: string;
}

/** A line of an answer. */
interface AnswerLine {
  readonly number?: number;
  readonly progress?: RunProgress;
  readonly refusal?: ViewRefusal;
  readonly forecast?: ViewForecast;
  readonly scenario?: PlacedText;
  readonly sweep?: PlacedSweep;
  readonly bytes?: number;
}

/** A scenario, and the file of the machine that it was; null: it cannot be read there. */
export interface PlacedText {
  readonly text: string;
  readonly place: Place | null;
}

/** A sweep, and the place of each of its runs that was kept. */
export interface PlacedSweep {
  readonly view: SweepView;
  readonly places: readonly (Place | null)[];
}

const storedAs = 'weft-token';

export class Machine {
  readonly places = signal<readonly Place[]>([]);
  /** how many there are that are not listed */
  readonly unlisted = signal(0);
  /** the run that is shown, and the scenario that stands in the editor, changed or not: its folder has its files */
  readonly shownRun = signal<Place | null>(null);
  readonly scenario = signal<Place | null>(null);
  private under: { number: number | null; readonly ending: AbortController } | null = null;
  private looking: AbortController | null = null;

  private constructor(private readonly token: string) {}

  /** The machine that served this page; null: it is a folder's. */
  static here(): Machine | null {
    if (document.documentElement.dataset['home'] !== 'machine') return null;
    const given = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
    if (given !== undefined) {
      sessionStorage.setItem(storedAs, given);
      history.replaceState(null, '', location.pathname);
    }
    return new Machine(given ?? sessionStorage.getItem(storedAs) ?? '');
  }

  /** Looks for what there is now. @throws RefusedError */
  async look(): Promise<readonly Place[]> {
    const { places, unlisted } = await this.json<{ places: readonly Place[]; unlisted: number }>('places');
    this.places.value = places;
    this.unlisted.value = unlisted;
    return places;
  }

  /** The text of a scenario. @throws RefusedError */
  async textOf({ number }: Place): Promise<string> {
    return (await this.json<{ text: string }>('text', { place: number })).text;
  }

  /** Reads a run. @param onScenario told what it was of @throws RefusedError */
  async open(place: Place, onScenario: (scenario: PlacedText) => unknown): Promise<ViewedRun> {
    const made = await this.runBy('open', { place: place.number }, ({ scenario }) => {
      if (scenario !== undefined) onScenario(scenario);
    });
    this.shownRun.value = place;
    return made;
  }

  /** Reads a sweep. @throws RefusedError */
  async openSweep({ number }: Place): Promise<PlacedSweep> {
    const { sweep } = await this.answer('sweep', { place: number }, new AbortController().signal, () => {});
    if (sweep === undefined) throw refused('weft ui sent no sweep');
    return sweep;
  }

  /** Runs what stands in the editor. @throws RefusedError */
  async run(request: ViewRequest, onProgress: (progress: RunProgress) => void): Promise<ViewedRun> {
    const made = await this.runBy('run', this.placed(request), ({ progress }) => {
      if (progress !== undefined) onProgress(progress);
    });
    this.shownRun.value = null;
    return made;
  }

  /** What it would take; what was asked before is given up. @throws RefusedError */
  async forecast(request: ViewRequest): Promise<ViewForecast> {
    this.looking?.abort();
    this.looking = new AbortController();
    const { forecast } = await this.answer('forecast', this.placed(request), this.looking.signal, () => {});
    if (forecast === undefined) throw refused('weft ui said nothing');
    return forecast;
  }

  /** The run under way ends with what it has; asked again, without. */
  stop(): void {
    if (this.under === null) return;
    const { number, ending } = this.under;
    this.under = { number: null, ending };
    if (number === null) ending.abort();
    else void this.json('stop', { number }).catch(() => {});
  }

  private placed({ text, files }: ViewRequest): object {
    return { text, files, place: this.scenario.value?.number ?? null };
  }

  private async runBy(what: 'open' | 'run', request: object, onLine: (line: AnswerLine) => void): Promise<ViewedRun> {
    const own = { number: null as number | null, ending: new AbortController() };
    this.under = own;
    try {
      const { run } = await this.answer(what, request, own.ending.signal, (line) => {
        own.number ??= line.number ?? null;
        onLine(line);
      });
      if (run === undefined) throw refused('weft ui sent no run');
      return run;
    } finally {
      this.under = null;
    }
  }

  /** Reads an answer line by line, and the run behind the last. @throws RefusedError */
  private async answer(
    what: string,
    request: object,
    signal: AbortSignal,
    onLine: (line: AnswerLine) => void,
  ): Promise<{ readonly run?: ViewedRun; readonly sweep?: PlacedSweep; readonly forecast?: ViewForecast }> {
    try {
      const pieces = (await this.ask(what, request, signal)).body!.getReader();
      let text = new Uint8Array(0);
      for (;;) {
        const { done, value } = await pieces.read();
        if (done) throw refused('weft ui ended before it had answered');
        const all = new Uint8Array(text.length + value.length);
        all.set(text);
        all.set(value, text.length);
        text = all;
        for (let end = text.indexOf(10); end >= 0; end = text.indexOf(10)) {
          const line = JSON.parse(new TextDecoder().decode(text.subarray(0, end))) as AnswerLine;
          text = text.subarray(end + 1);
          onLine(line);
          if (line.refusal !== undefined) throw new RefusedError(line.refusal);
          if (line.sweep !== undefined) return { sweep: line.sweep };
          if (line.forecast !== undefined) return { forecast: line.forecast };
          if (line.bytes !== undefined) return { run: runOfBytes(await rest(text, line.bytes, pieces)) };
        }
      }
    } catch (error) {
      throw asRefused(error);
    }
  }

  private async json<Value>(what: string, body?: object): Promise<Value> {
    try {
      const value = (await (await this.ask(what, body)).json()) as Value & AnswerLine;
      if (value.refusal !== undefined) throw new RefusedError(value.refusal);
      return value;
    } catch (error) {
      throw asRefused(error);
    }
  }

  private async ask(what: string, body?: object, signal?: AbortSignal): Promise<Response> {
    const response = await fetch(`api/${what}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${this.token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (!response.ok) throw refused((await response.text()).trim());
    return response;
  }
}

/** What is left of an answer. */
async function rest(
  begun: Uint8Array,
  sizeBytes: number,
  pieces: ReadableStreamDefaultReader<Uint8Array>,
): Promise<Uint8Array> {
  const all = new Uint8Array(sizeBytes);
  all.set(begun);
  for (let at = begun.length; at < sizeBytes;) {
    const { done, value } = await pieces.read();
    if (done) throw refused('weft ui ended within its answer');
    all.set(value, at);
    at += value.length;
  }
  return all;
}

function refused(text: string): RefusedError {
  return new RefusedError({ diagnostics: [], text });
}

function asRefused(error: unknown): RefusedError {
  if (error instanceof RefusedError) return error;
  if (error instanceof DOMException && error.name === 'AbortError') return refused('It was stopped.');
  return refused('weft ui does not answer: it may have been ended. Begin it again, and open its new link.');
}

// The worker of the page: reads, forecasts and runs scenarios, one after the other. It fetches nothing.

import { forecastForView, viewHost, viewScenario } from '#weft/app/view/view-scenario.js';
import { type FamilyWords, firstChoices, firstScenario } from '#weft/app/first-scenario.js';
import { InputError, wholeFile } from '#weft/base/diagnostics.js';
import { findFamily } from '#weft/fabric/generators/catalogue.js';
import { makePlan } from '#weft/scenario/make-plan.js';
import { scenarioJsonSchema } from '#weft/scenario/json-schema.js';
import { viewRefusal } from '#weft/app/view/view-refusal.js';
import type { Answer, Asked } from './protocol.js';

declare const WEFT_VERSION: string;

/** what a tab may take for one run */
const mostMemoryBytes = 1_000_000_000;
/** between two messages about progress */
const progressMs = 100;

const abilities = {
  wallMs: () => performance.now(),
  cpuSeconds: () => performance.now() / 1000,
  // lets messages in, such as one that asks to stop
  breathe: () => new Promise<void>((resolve) => setTimeout(resolve, 0)),
};
/** How the page speaks of families: they come from its list. */
const words: FamilyWords = {
  named: (name) => {
    const found = findFamily(name);
    if (found === null) throw InputError.about('unknown-family', name, 'there is no such family of fabrics', {});
    return found;
  },
  problem: ({ name }, { parameter, ...rest }) => ({
    severity: 'error',
    file: parameter ?? name,
    ...wholeFile,
    ...rest,
  }),
};
let isStopped = false;
let before = Promise.resolve();

addEventListener('message', ({ data }: MessageEvent<Asked>) => {
  if (data.kind === 'stop') {
    isStopped = true;
    say({ kind: 'stopping' });
    return;
  }
  before = before.then(() => answer(data));
});

/** @throws InputError if a text cannot be read as a plan */
async function readsAsPlan(text: string): Promise<void> {
  const request = { text, file: 'scenario.yaml', files: {} };
  const plan = await makePlan(request.file, { host: viewHost(request, abilities), overrides: [] });
  await plan.source.close();
}

async function answer(asked: Exclude<Asked, { kind: 'stop' }>): Promise<void> {
  const { number } = asked;
  try {
    if (asked.kind === 'schema') {
      say({ kind: 'schema', number, schema: scenarioJsonSchema() });
      return;
    }
    if (asked.kind === 'choices') {
      say({ kind: 'choices', number, choices: firstChoices() });
      return;
    }
    if (asked.kind === 'first') {
      say({ kind: 'first', number, text: await firstScenario(asked.answers, words, readsAsPlan) });
      return;
    }
    if (asked.kind === 'open') {
      // loaded by who opens a folder
      const { openGiven } = await import('./given-run.js');
      const given = await openGiven(asked.folder, asked.files, mostMemoryBytes);
      const { linkLoads, lineLoads } = given.run.view;
      say({ kind: 'opened', number, given }, [linkLoads.buffer, lineLoads.buffer]);
      return;
    }
    const { kind, request } = asked;
    if (kind === 'forecast') {
      const forecast = await forecastForView(request.file, viewHost(request, abilities));
      say({ kind: 'forecast', number, forecast });
      return;
    }
    isStopped = false;
    let told = 0;
    const run = await viewScenario(request.file, viewHost(request, abilities), {
      mostMemoryBytes,
      weftVersion: WEFT_VERSION,
      stopRequested: () => isStopped,
      onProgress: ({ share, nowPs, flowsFinished }) => {
        if (performance.now() - told < progressMs) return;
        told = performance.now();
        say({ kind: 'progress', number, progress: { share, nowPs, flowsFinished } });
      },
    });
    const { linkLoads, lineLoads, linkQueues, lineQueues } = run.view;
    const lists = [linkLoads, lineLoads, linkQueues, lineQueues].map(({ buffer }) => buffer);
    say({ kind: 'ran', number, run }, lists);
  } catch (error) {
    say({ kind: 'refused', number, refusal: viewRefusal(error) });
  }
}

function say(answered: Answer, transferred: readonly ArrayBufferLike[] = []): void {
  postMessage(answered, { transfer: transferred as ArrayBuffer[] });
}

// Random scenarios as files, for two builds: drawn by this one, with the settings alone that the other knows too.
// Invariant: the same seed, the same two builds: the same files, byte for byte. All are scenarios that this build plans.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '#weft/base/diagnostics.js';
import { makePlan } from '#weft/scenario/make-plan.js';
import { nodeHost } from '#weft/storage/node-host.js';
import { type RandomScenario, randomScenario, swarmSettings, withRoom } from '../random-scenario.js';
import type { Json } from './figures.js';
import { knownParts, type Settings, tagsOf, withOldDefaults } from './known-parts.js';
import { type ChangedDefault, settingsIn, wordsIn } from './names.js';
import type { Rename } from './renames.js';

/** Paths of a scenario of which both builds have a text. */
export interface WrittenScenarios {
  /** path relative to the folders; name with tags, as the table prints it */
  readonly written: readonly { readonly path: string; readonly name: string }[];
  /** drawn, but refused by this build's plan */
  readonly refused: number;
  /** settings that were drawn and left out, because the older build does not know them */
  readonly leftOut: readonly string[];
}

interface Request {
  readonly count: number;
  readonly seed: number;
  /** JSON Schema of the older build's scenarios */
  readonly oldSchema: Json;
  readonly renames: readonly Rename[];
  /** settings to be given with their old default */
  readonly changed: readonly ChangedDefault[];
  /** where each build's files go */
  readonly oldFolder: string;
  readonly newFolder: string;
  readonly progress: (done: number, total: number) => void;
}

/** Every so many-eth scenario goes without packets. */
const backends: Readonly<Record<number, string>> = { 8: 'analytical', 9: 'fluid' };

/** Draws scenarios until there are enough that this build plans, and writes them. */
export async function writeRandomScenarios(request: Request): Promise<WrittenScenarios> {
  const { count, seed, oldFolder, newFolder, progress } = request;
  const known = {
    settings: settingsIn(request.oldSchema),
    words: wordsIn(request.oldSchema),
    leftOut: new Set<string>(),
  };
  const written: { path: string; name: string }[] = [];
  const changed = request.changed.filter(({ path }) => swarmSettings.includes(path));
  let refused = 0;
  const host = nodeHost();
  for (let number = 0; written.length < count; number++) {
    progress(written.length, count);
    const folder = `random-${seed}-${number}`;
    const drawn = drawnFor(seed, number);
    const kept = knownParts(withOldDefaults(JSON.parse(drawn.text) as Settings, changed), request.renames, known);
    mkdirSync(join(newFolder, folder));
    const path = join(newFolder, folder, 'scenario.yaml');
    const plan = async (tried: RandomScenario): Promise<unknown> => {
      writeFolder(join(newFolder, folder), tried);
      return makePlan(path, { host, overrides: [] });
    };
    try {
      const roomy = await withRoom({ ...drawn, text: JSON.stringify(kept.both) }, plan);
      mkdirSync(join(oldFolder, folder));
      // room is made in this build's scenario: the older one gets the same
      const asOld = knownParts(JSON.parse(roomy.text) as Settings, request.renames, known).old;
      writeFolder(join(oldFolder, folder), { ...roomy, text: JSON.stringify(asOld) });
      const tags = tagsOf(JSON.parse(roomy.text) as Settings);
      written.push({ path: `${folder}/scenario.yaml`, name: [folder, ...tags].join(' ') });
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      refused++;
      if (refused > count + 100)
        throw new Error('this build refuses more than half of what is drawn', { cause: error });
    }
  }
  return { written, refused, leftOut: [...known.leftOut].sort() };
}

function writeFolder(folder: string, { text, files }: RandomScenario): void {
  for (const [name, content] of Object.entries({ ...files, 'scenario.yaml': text }))
    writeFileSync(join(folder, name), content);
}

/** Every second scenario with probes, every fifth without packets. */
function drawnFor(seed: number, number: number): RandomScenario {
  const drawn = randomScenario(seed, number);
  const backend = backends[number % 10];
  const added = {
    ...(backend === undefined ? {} : { backend }),
    ...(backend === undefined && number % 2 === 0 ? { probes: drawn.probes } : {}),
  };
  return { ...drawn, text: JSON.stringify({ ...(JSON.parse(drawn.text) as object), ...added }) };
}

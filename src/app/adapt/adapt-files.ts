// What a loop leaves in a folder: of each epoch its tables and the traffic that counters told, and in which steps its
// tables came from those before and lead back to them.
// Invariant: files of tables are as OpenSM reads them, files of steps as `weft route transition --json` prints them.

import { InputError } from '../../base/diagnostics.js';
import { HostFileError, type Host } from '../../base/host.js';
import { trafficCsv } from '../../formats/traffic-matrix.js';
import { sourcePortsCsv } from '../../formats/source-ports.js';
import { lftTexts } from '../../formats/opensm-lfts-writer.js';
import { planTransition } from '../../optimization/route-transition.js';
import { adaptObject, type AdaptedRoutes } from '../../report/adapt/adapt-report.js';
import { transitionObject } from '../../report/routes/transition-text.js';
import { changedEntries } from '../../routing/forwarding-tables.js';
import type { AdaptedEpoch } from './adapt-routes.js';

/** The file that every loop leaves. */
const epochsFile = 'epochs.json';

/** Refuses a folder in which a loop left its files, before anything is run. @throws InputError */
export async function requireUnused(folder: string, files: Host): Promise<void> {
  try {
    await files.readText(`${folder}/${epochsFile}`);
  } catch (error) {
    if (error instanceof HostFileError) return;
    throw error;
  }
  throw InputError.about('output-exists', folder, 'the folder has the epochs of another loop', {
    hint: 'give another folder, or add --force to replace them',
  });
}

/** A file of a loop. */
interface AdaptFile {
  readonly name: string;
  readonly text: string | Iterable<string>;
}

/** The files of a loop. */
export function adaptFiles(adapted: AdaptedRoutes<AdaptedEpoch>): AdaptFile[] {
  const { source, epochs, keptEpoch } = adapted;
  const steps = (old: AdaptedEpoch, next: AdaptedEpoch): string => {
    const plan = planTransition(old.forwarding, next.forwarding);
    const changed = changedEntries(old.forwarding, next.forwarding);
    const told = { source, old: tablesFile(old), new: tablesFile(next), plan, changedEntries: changed };
    return `${JSON.stringify(transitionObject({ ...told, lanes: 1, warnings: [] }), null, 2)}\n`;
  };
  const kept = epochs.find(({ epoch }) => epoch === keptEpoch)!;
  const last = epochs.at(-1)!;
  const files: AdaptFile[] = [];
  epochs.forEach((own, i) => {
    files.push(
      own.ports === null
        ? { name: tablesFile(own), text: lftTexts(source, [own.forwarding]) }
        : { name: `epoch-${own.epoch}.ports.csv`, text: sourcePortsCsv(own.ports.rows) },
    );
    if (own.found !== null) files.push({ name: `epoch-${own.epoch}.csv`, text: trafficCsv(own.found) });
    if (own.changedEntries === 0 || own.ports !== null) return;
    files.push({ name: `epoch-${own.epoch}.steps.json`, text: steps(epochs[i - 1]!, own) });
    files.push({ name: `epoch-${own.epoch}.back.json`, text: steps(own, epochs[i - 1]!) });
  });
  if (kept.forwarding !== last.forwarding && kept.ports === null)
    files.push({ name: 'kept.steps.json', text: steps(last, kept) });
  files.push({ name: epochsFile, text: `${JSON.stringify(adaptObject(adapted, null), null, 2)}\n` });
  return files;
}

function tablesFile({ epoch }: AdaptedEpoch): string {
  return `epoch-${epoch}.lfts`;
}

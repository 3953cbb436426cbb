// weft route repair: tables in use after something failed, with new entries only where they lead no more.
// Invariants: nothing is written before the tables were checked; bad input ends with 2, tables that do not lead
// everywhere with 1. What reading, repairing, checking and writing cost is told apart.

import { Command } from 'commander';
import { InputError, wholeFile } from '../../base/diagnostics.js';
import { judgeTables } from '../../app/routes/compute-routes.js';
import { loadFabric, requireTree } from '../../app/routes/fabric-input.js';
import { withDetourNotes } from '../../app/routes/make-tables.js';
import { ofOffsets, type ComputedTables } from '../../app/routes/route-algorithms.js';
import { loadTables } from '../../app/routes/tables-input.js';
import { loadTraffic } from '../../app/routes/traffic-input.js';
import { lftTexts } from '../../formats/opensm-lfts-writer.js';
import { repairedLines, repairedObject, type RepairedRoutes } from '../../report/routes/repaired-routes-text.js';
import { reportText } from '../../report/routes/route-text.js';
import { changesByOffset } from '../../routing/lid-offsets.js';
import { repairTables } from '../../routing/repair-tables.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { StageProgress } from '../stage-progress.js';
import { checkOutputs, forceHelp, writeWholeFile } from '../whole-file.js';
import {
  checkLidOffset,
  fabricAndTrafficOptions,
  fraction,
  lidOptions,
  trafficHelp,
  type RouteOptions,
} from './route-options.js';

interface RepairOptions extends RouteOptions {
  readonly current: string;
  readonly out?: string;
  readonly force?: boolean;
}

/** The command `route repair`. */
export function repairCommand(context: CommandContext): Command {
  const command = lidOptions(
    fabricAndTrafficOptions(
      new Command('repair').description(
        'mend tables in use after links or switches failed, changing as little as possible',
      ),
      trafficHelp,
    ),
  )
    .requiredOption('--current <file>', 'tables in use: opensm-lfts.dump, or what dump_lfts or ibroute print')
    .option('--threshold <share>', 'links above this share of the adaptive bound count as hot', fraction, 0.9)
    .option('--out <file>', "write the tables as OpenSM's file engine reads them")
    .option('--force', forceHelp)
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Examples:
  weft route repair --fabric broken.net --current now.lfts --out new.lfts
  weft route repair --fabric broken.net --current now.lfts \\
    --traffic jobs.csv --json
  weft route repair --fabric fabric.net --failed-links 1% --current now.lfts
    (what if)

--fabric is what ibnetdiscover prints now, --current are the tables from before.
Entries that still lead to their host stay; the others take a shortest way up
and down, over the ports with the fewest destinations. That cannot deadlock.
Then: weft route transition now.lfts new.lfts --fabric broken.net`,
    )
    .action(async (options: RepairOptions) => {
      await repair(options, context);
    });
  return refuseRepeats(command);
}

async function repair(options: RepairOptions, context: CommandContext): Promise<void> {
  const { host } = context;
  const { current: currentFile, out } = options;
  if (out === '') throw InputError.at('output-path', '--out', wholeFile, 'the path is empty', { wanted: 'a file' });
  const force = options.force === true;
  if (out !== undefined) await checkOutputs([out], force, true);
  const progress = new StageProgress(context.stderr, () => host.wallMs());
  let lastSeconds = host.cpuSeconds();
  const spent = (): number => {
    const before = lastSeconds;
    lastSeconds = host.cpuSeconds();
    return lastSeconds - before;
  };
  const source = await loadFabric(host, options);
  requireTree(source);
  checkLidOffset(source, options.lidOffset);
  progress.update('reading tables');
  const current = await loadTables(host, currentFile, source);
  const given =
    options.traffic === undefined ? null : await loadTraffic(host, { ...options, traffic: options.traffic }, source);
  const readSeconds = spent();
  progress.update('repairing');
  const made = withDetourNotes<ComputedTables>(source, {
    ...ofOffsets(current.offsets.map((tables) => repairTables(source.tree, tables))),
    notes: [],
  });
  const offsets = made.offsets ?? [made.tables];
  const changes = changesByOffset(source.identity, current.offsets, offsets);
  const repairSeconds = spent();
  progress.update('checking');
  const judged = judgeTables(source, offsets, given?.traffic ?? null, options.threshold, {
    ...made,
    lidUse: options.lidOffset,
  });
  const checkSeconds = spent();
  progress.update('writing');
  if (out !== undefined) await writeWholeFile(out, lftTexts(source, offsets), force);
  progress.stop();
  const repaired: RepairedRoutes = {
    source,
    traffic: given?.traffic ?? null,
    seed: options.seed,
    ...judged,
    cpuSeconds: repairSeconds + checkSeconds,
    changedEntries: changes.reduce((sum, { entries }) => sum + entries, 0),
    changedFrom: currentFile,
    changes,
    notes: made.notes,
    cpu: { readSeconds, repairSeconds, checkSeconds, writeSeconds: spent() },
    out: out ?? null,
    warnings: [...source.warnings, ...current.warnings, ...(given?.warnings ?? [])],
  };
  context.stdout.write(
    options.json === true
      ? `${JSON.stringify(repairedObject(repaired), null, 2)}\n`
      : reportText(repairedLines(repaired), repaired.warnings),
  );
  if (!judged.verdicts.every(({ ok }) => ok)) context.endWith(ExitCode.failed);
}

// weft route import | export: what was captured from a running InfiniBand fabric (tables, counters, lanes), checked;
// tables as a folder that OpenSM is started with.
// Invariant: export writes nothing unless every switch leads everywhere; OpenSM checks neither for omissions nor for
// loops.

import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { Diagnostics, InputError, wholeFile } from '../../base/diagnostics.js';
import { omittedEntries, lftTexts } from '../../formats/opensm-lfts-writer.js';
import { laneCounts, opensmOptions, pathProblem, slToVl } from '../../formats/opensm-options.js';
import { withDetoursAllowed } from '../../optimization/detoured-validity.js';
import { judgeDeadlock } from '../../optimization/route-deadlock-check.js';
import { checkRoutes } from '../../optimization/route-validity.js';
import type { FlowLevels } from '../../routing/route-lanes.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { counterLines } from '../../report/routes/counter-text.js';
import { loadCounters, type CounterFiles } from '../../app/routes/route-counters.js';
import { checkCounterFigure } from './figure-options.js';
import { counterFigure } from '../../report/routes/route-figure.js';
import { loadFabric, requireTree, type FabricOptions } from '../../app/routes/fabric-input.js';
import { loadTables } from '../../app/routes/tables-input.js';
import { laneLines, lanesObject } from '../../report/routes/lane-text.js';
import { loadLanes, loadLevels } from '../../app/routes/route-lanes.js';
import { lmcOption, seconds } from './route-options.js';
import {
  deadlockLines,
  deadlockObject,
  fabricLine,
  fabricObject,
  omittedLines,
  reportText,
  validityLines,
  validityObject,
} from '../../report/routes/route-text.js';
import { forceHelp, writeWholeFiles } from '../whole-file.js';

interface ExchangeOptions extends FabricOptions {
  readonly tables: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

function exchangeCommand(name: string, description: string): Command {
  return lmcOption(new Command(name))
    .description(description)
    .requiredOption(
      '--fabric <file>',
      'output of ibnetdiscover or ibdiagnet (.lst, .db_csv), a topology file, or quartz1',
    )
    .requiredOption('--tables <file>', 'opensm-lfts.dump, or what dump_lfts or ibroute print')
    .option('--guid2lid <file>', "LIDs: OpenSM's guid2lid")
    .option('--roots <file>', 'GUIDs of the switches of the top level, one per line')
    .option('--force', forceHelp)
    .option('--json', 'print the result as JSON');
}

/** The command `route import`. */
export function importCommand(context: CommandContext): Command {
  const command = exchangeCommand('import', 'check what was captured from a running fabric: tables, counters, lanes')
    .option('--counters <file>', 'what perfquery -x or ibqueryerrors --data printed')
    .option('--before <file>', 'the same from earlier: the traffic in between')
    .addOption(new Option('--interval <time>', 'between the two readings: how busy links were').argParser(seconds))
    .option('--figure <file>', 'draw the fabric by level, with how busy every link was (needs --interval), as SVG')
    .option('--sl2vl <file>', 'opensm-sl2vl.dump, or what smpquery sl2vl printed: lanes')
    .addOption(
      new Option(
        '--virtual-lanes <number>',
        `whether these are the lanes of route export: ${laneCounts.join(', ')}`,
      ).argParser(laneCount),
    )
    .option('--out <file>', "write the tables in the form of OpenSM's dump")
    .addHelpText(
      'after',
      `
Examples:
  weft route import --fabric fabric.net --tables opensm-lfts.dump
  weft route import --fabric fabric.net --tables ibroute.txt --out now.lfts
  weft route import --fabric fabric.net --tables opensm-lfts.dump \\
    --before before.txt --counters after.txt --interval 60s \\
    --figure busy.svg
  weft route import --fabric fabric.net --tables opensm-lfts.dump \\
    --sl2vl opensm-sl2vl.dump --virtual-lanes 4

Exit code 1 if the tables do not lead everywhere, or lanes are not as exported.`,
    )
    .action(
      async (
        options: ExchangeOptions &
          CounterFiles & { sl2vl?: string; virtualLanes?: number; out?: string; figure?: string },
      ) => {
        const { host } = context;
        checkCounterFigure(options.figure, options.interval);
        const source = await loadFabric(host, options);
        if (options.figure !== undefined) requireTree(source);
        const { offsets, warnings: tableWarnings } = await loadTables(host, options.tables, source);
        const diagnostics = new Diagnostics();
        const counted = await loadCounters(host, options, source, diagnostics);
        if (options.virtualLanes !== undefined && options.sl2vl === undefined)
          throw InputError.at(
            'missing-lanes',
            '--virtual-lanes',
            wholeFile,
            'the SL2VL tables to compare with are missing',
            { hint: 'add --sl2vl FILE' },
          );
        const lanes =
          options.sl2vl === undefined
            ? null
            : await loadLanes(host, options.sl2vl, options.virtualLanes, source, diagnostics);
        const ways = checkRoutes(source.tree, offsets);
        const omitted = omittedEntries(source.tree, offsets);
        const deadlock = judgeDeadlock(source.tree, offsets, null, ways);
        const validity = withDetoursAllowed(ways, deadlock);
        await writeWholeFiles(
          [
            ...(options.out === undefined ? [] : [{ path: options.out, text: lftTexts(source, offsets) }]),
            ...(options.figure === undefined
              ? []
              : [{ path: options.figure, text: counterFigure(source, options.interval!, counted!.every) }]),
          ],
          options.force === true,
        );
        const counters = counted?.report ?? null;
        const warnings = [...source.warnings, ...tableWarnings, ...diagnostics.warnings];
        if (options.json === true) {
          context.stdout.write(
            `${JSON.stringify({ tables: options.tables, fabric: fabricObject(source), validity: validityObject(source, validity), ...deadlockObject(source, deadlock), omittedEntries: omitted.count, counters, serviceLevels: lanes === null ? null : lanesObject(source, lanes), out: options.out ?? null, figure: options.figure ?? null, warnings }, null, 2)}\n`,
          );
        } else {
          const lines = [
            fabricLine(source),
            options.tables,
            ...validityLines(source, validity),
            ...deadlockLines(source, deadlock),
            `  omitted        ${omitted.count} entries`,
          ];
          if (counters !== null) lines.push(...counterLines(counters));
          if (lanes !== null) lines.push(...laneLines(source, lanes));
          for (const file of [options.out, options.figure])
            if (file !== undefined) lines.push(`  written        ${file}`);
          context.stdout.write(reportText(lines, warnings));
        }
        if (!validity.valid || lanes?.asExported === false) context.endWith(ExitCode.failed);
      },
    );
  return refuseRepeats(command);
}

/** The command `route export`. */
export function exportCommand(context: CommandContext): Command {
  const command = exchangeCommand(
    'export',
    'write tables as a folder that OpenSM is started with, if they lead everywhere',
  )
    .requiredOption('--out <folder>', 'gets weft.lfts and opensm.conf')
    .addOption(
      new Option(
        '--virtual-lanes <number>',
        `SL2VL tables and arbitration: service levels in turn to so many lanes: ${laneCounts.join(', ')}`,
      ).argParser(laneCount),
    )
    .option(
      '--lanes <file>',
      'service levels that hosts send with (--lanes-out of compute, path records): they free routes of deadlock',
    )
    .addHelpText(
      'after',
      `
Examples:
  weft route export --fabric fabric.net --tables new.lfts --out to-opensm
  weft route export --fabric fabric.net --tables new.lfts --out with-lanes \\
    --virtual-lanes 4

Then: opensm -F to-opensm/opensm.conf (add its lines to your own options).
Exit code 1, and nothing written, if a switch does not lead everywhere or the
routes may deadlock: on one lane, or on those of --lanes as --virtual-lanes
deals them out. OpenSM's file engine knows no service levels: hosts have to
send by those of --lanes.`,
    )
    .action(async (options: ExchangeOptions & { out: string; virtualLanes?: number; lanes?: string }) => {
      const { host } = context;
      const paths = { tables: resolve(options.out, 'weft.lfts'), options: resolve(options.out, 'opensm.conf') };
      const problem = options.out === '' ? 'the path is empty' : pathProblem(paths.tables);
      if (problem !== null)
        throw InputError.at('output-path', '--out', wholeFile, problem, {
          got: options.out,
          wanted: 'a folder that the options of OpenSM can name',
        });
      const source = await loadFabric(host, options);
      const { offsets, warnings: tableWarnings } = await loadTables(host, options.tables, source);
      const lmc = 31 - Math.clz32(offsets.length);
      const ways = checkRoutes(source.tree, offsets);
      const omitted = omittedEntries(source.tree, offsets);
      const given = options.lanes === undefined ? null : await loadLevels(host, options.lanes, undefined, source);
      const levels = given === null ? null : dealtOut(given.levels, options.virtualLanes);
      const deadlock = judgeDeadlock(source.tree, offsets, levels, ways);
      const validity = withDetoursAllowed(ways, deadlock);
      const complete = validity.valid && omitted.count === 0 && deadlock.cycle === null;
      if (complete) {
        await writeWholeFiles(
          [
            { path: join(options.out, 'weft.lfts'), text: lftTexts(source, offsets) },
            {
              path: join(options.out, 'opensm.conf'),
              text: opensmOptions(paths.tables, options.virtualLanes ?? null, lmc),
            },
          ],
          options.force === true,
          options.out,
        );
      }
      const warnings = [...source.warnings, ...tableWarnings, ...(given?.warnings ?? [])];
      if (options.json === true) {
        context.stdout.write(
          `${JSON.stringify({ tables: options.tables, fabric: fabricObject(source), validity: validityObject(source, validity), ...deadlockObject(source, deadlock), omittedEntries: omitted.count, written: complete ? Object.values(paths) : [], warnings }, null, 2)}\n`,
        );
      } else {
        const lines = [
          fabricLine(source),
          ...validityLines(source, validity),
          ...deadlockLines(source, deadlock),
          ...omittedLines(source, omitted),
        ];
        lines.push(
          complete
            ? `  written        ${join(options.out, 'weft.lfts')}, ${join(options.out, 'opensm.conf')}`
            : '  nothing is written',
        );
        context.stdout.write(reportText(lines, warnings));
      }
      if (!complete) context.endWith(ExitCode.failed);
    });
  return refuseRepeats(command);
}

/** Levels on the lanes that the exported SL2VL tables put them on. */
function dealtOut(given: FlowLevels, lanes: number | undefined): FlowLevels {
  if (lanes === undefined) return given;
  const lane = slToVl(lanes);
  return {
    count: given.count,
    lanes: { rule: (level) => lane[level]!, count: Math.min(lanes, given.count) },
    levels: (from, destination, offset) => given.levels(from, destination, offset),
  };
}

function laneCount(text: string): number {
  const lanes = laneCounts.find((count) => String(count) === text);
  if (lanes === undefined) throw new InvalidArgumentError(`It has to be one of ${laneCounts.join(', ')}.`);
  return lanes;
}

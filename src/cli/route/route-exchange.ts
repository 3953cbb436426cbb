// weft route import | export: what was captured from a running InfiniBand fabric (tables, counters, lanes), checked;
// tables as a folder that OpenSM is started with.

import { join, resolve } from 'node:path';
import { checkCapture, checkExport } from '../../app/routes/captured-routes.js';
import { InputError } from '../../base/diagnostics.js';
import { pathRecordTexts } from '../../formats/opensm-path-records.js';
import { laneTableTexts } from '../../formats/opensm-sl2vl-writer.js';
import { lftTexts } from '../../formats/opensm-lfts-writer.js';
import { mostDataLanes, opensmOptions, pathProblem } from '../../formats/opensm-options.js';
import { fileLines } from '../../report/routes/computed-routes-text.js';
import { counterLines } from '../../report/routes/counter-text.js';
import { laneLines, lanesObject } from '../../report/routes/lane-text.js';
import {
  deadlockLines,
  fabricLine,
  fabricObject,
  omittedLines,
  passedObject,
  validityLines,
} from '../../report/routes/route-text.js';
import { oneOf, required, text, toggle, value } from '../options/declared-command.js';
import { wholeNumberFrom } from '../options/option-values.js';
import { routeCommandOf } from './route-command.js';
import { seconds, tablesOption, tablesScope, wholeNumber } from './route-options.js';

const laneCount = wholeNumberFrom(1, mostDataLanes);

/** The command `route import`. */
export const importCommand = routeCommandOf({
  name: 'import',
  description: 'check what was captured from a running fabric: tables, counters, lanes',
  options: [
    ...tablesScope,
    text('--tables <file>', 'opensm-lfts.dump, or what dump_lfts or ibroute print'),
    text('--counters <file>', 'what perfquery -x or ibqueryerrors --data printed'),
    text('--before <file>', 'the same from earlier: the traffic in between'),
    value('--interval <time>', 'between the two readings: how busy links were', seconds),
    text('--figure <file>', 'draw the fabric by level, with how busy every link was (needs --interval), as SVG'),
    text('--sl2vl <file>', 'opensm-sl2vl.dump, or what smpquery sl2vl printed: lanes'),
    value('--virtual-lanes <number>', 'whether these are the lanes of route export, 1 to 15', laneCount),
    text('--out <file>', "write the tables in the form of OpenSM's dump"),
  ],
  help: `Examples:
  weft route import --fabric fabric.net --tables opensm-lfts.dump
  weft route import --fabric fabric.net --counters ibqueryerrors.txt
  weft route import --fabric fabric.net --tables ibroute.txt --out now.lfts
  weft route import --fabric fabric.net --tables opensm-lfts.dump \\
    --before before.txt --counters after.txt --interval 60s \\
    --figure busy.svg
  weft route import --fabric fabric.net --tables opensm-lfts.dump \\
    --sl2vl opensm-sl2vl.dump --virtual-lanes 4

Exit code 1 if the tables do not lead everywhere, or lanes are not as exported.`,
  run: async (request, host) => {
    const capture = await checkCapture(request, host);
    const { source, checked, counters, lanes, warnings } = capture;
    if (checked === null && request.out !== undefined)
      throw InputError.about('missing-tables', '--out', 'there are no tables to write', {
        hint: 'add --tables FILE',
      });
    const { ports = [], ...links } = counters ?? {};
    return {
      texts: { out: checked === null ? undefined : lftTexts(source, checked.tables), figure: capture.figure },
      object: (files) => ({
        ...(checked === null ? { tables: null, fabric: fabricObject(source), validity: null } : passedObject(checked)),
        counters: counters === null ? null : links,
        ports,
        serviceLevels: lanes === null ? null : lanesObject(source, lanes),
        out: files.out,
        figure: files.figure,
      }),
      lines: (files) => [
        fabricLine(source),
        ...(checked === null
          ? []
          : [
              checked.name,
              ...validityLines(source, checked.validity),
              ...deadlockLines(source, checked.deadlock),
              `  omitted        ${checked.omitted.count} entries`,
            ]),
        ...(counters === null ? [] : counterLines(counters)),
        ...(lanes === null ? [] : laneLines(source, lanes)),
        ...fileLines('written', files.out, files.figure),
      ],
      warnings,
      failed: checked?.validity.valid === false || lanes?.asExported === false,
    };
  },
});

/** The command `route export`. */
export const exportCommand = routeCommandOf({
  name: 'export',
  fillsFolder: true,
  description: 'write tables as a folder that OpenSM is started with, if they lead everywhere',
  options: [
    ...tablesScope,
    tablesOption(),
    required(text('--out <folder>', 'gets weft.lfts and opensm.conf')),
    value(
      '--virtual-lanes <number>',
      'SL2VL tables and arbitration: service levels in turn to so many lanes, 1 to 15',
      laneCount,
    ),
    text(
      '--lanes <file>',
      'service levels that hosts send with (--lanes-out of compute, path records): they free routes of deadlock',
    ),
    oneOf(
      '--lane-map <how>',
      'modulo: levels in turn, for every port alike; random, separated: drawn by the seed for weft reconstruct; weft.sl2vl and weft.levels say them, for no option of OpenSM can',
      ['modulo', 'random', 'separated'],
      'modulo',
    ),
    value('--seed <number>', 'of a random map of lanes', wholeNumber, 1),
    toggle('--in-use', 'the switches have these tables now: write them whatever they are worth, for the way back'),
  ],
  help: `Examples:
  weft route export --fabric fabric.net --tables new.lfts --out to-opensm
  weft route export --fabric fabric.net --tables now.lfts --out back --in-use
  weft route export --fabric fabric.net --tables new.lfts --out with-lanes \\
    --virtual-lanes 4

Then: opensm -F to-opensm/opensm.conf (add its lines to your own options).
Exit code 1, and nothing written, if a switch does not lead everywhere or the
routes may deadlock (unless they are --in-use): on one lane, or on those of
--lanes as --virtual-lanes deals them out. OpenSM's file engine knows no service
levels: hosts have to send by those of --lanes. Its options have one SL2VL table
for all switches: drawn ones are for tools that set them.`,
  check: ({ out }) => {
    const problem = out === '' ? 'the path is empty' : pathProblem(resolve(out, 'weft.lfts'));
    if (problem !== null)
      throw InputError.about('output-path', '--out', problem, {
        got: out,
        wanted: 'a folder that the options of OpenSM can name',
      });
  },
  run: async (request, host) => {
    const { out, virtualLanes } = request;
    const checked = await checkExport(request, host);
    const { source, tables, validity, deadlock, omitted, warnings, isComplete, isWanted } = checked;
    const [lfts, conf] = [join(out, 'weft.lfts'), join(out, 'opensm.conf')];
    const lmc = 31 - Math.clz32(tables.length);
    const files = [
      { path: lfts, text: lftTexts(source, tables) },
      { path: conf, text: opensmOptions(resolve(lfts), virtualLanes ?? null, lmc) },
      ...(checked.drawn === null
        ? []
        : [
            { path: join(out, 'weft.sl2vl'), text: laneTableTexts(source, checked.drawn.map) },
            { path: join(out, 'weft.levels'), text: pathRecordTexts(source, checked.drawn.levels) },
          ]),
    ];
    return {
      ...(isWanted ? { folder: { path: out, files } } : {}),
      object: () => ({ ...passedObject(checked), written: isWanted ? files.map(({ path }) => resolve(path)) : [] }),
      lines: () => [
        fabricLine(source),
        ...validityLines(source, validity),
        ...deadlockLines(source, deadlock),
        ...omittedLines(source, omitted),
        ...(isWanted
          ? [
              ...(isComplete ? [] : ['  in use         so they are written as they are']),
              `  written        ${files.map(({ path }) => path).join(', ')}`,
            ]
          : ['  nothing is written', '    the switches have these tables now? --in-use writes them, for the way back']),
      ],
      warnings,
      failed: !isWanted,
    };
  },
});

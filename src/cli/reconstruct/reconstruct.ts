// weft reconstruct: who sent how much to whom, from counters of ports.

import { reconstructTraffic } from '../../app/reconstruct/reconstruct-traffic.js';
import { usualMtuBytes } from '../../app/reconstruct/counter-mix.js';
import {
  counterMixes,
  portSplits,
  searchMethods,
  type CountingNodes,
  type LaneStrategy,
} from '../../app/reconstruct/reconstruction-request.js';
import { usualReconstructionSeconds } from '../../app/reconstruct/search-until.js';
import { reconstructionLines, reconstructionObject } from '../../report/reconstruct/reconstruction-text.js';
import { parseSizeBytes } from '../../base/units.js';
import { oneOf, text, toggle, value } from '../options/declared-command.js';
import { readBy, wholeNumberFrom } from '../options/option-values.js';
import { chartSvg } from '../report/page-program.js';
import { routeCommandOf } from '../route/route-command.js';
import {
  allocationOption,
  lidOffsetOption,
  seconds,
  tablesOption,
  tablesScope,
  wholeNumber,
} from '../route/route-options.js';

/** Lanes for data that a link has at most. */
const mostLanes = 15;
const mostReweights = 100;
const strategies = ['random', 'separated', 'pairs', 'galois', 'steady'] as const satisfies readonly LaneStrategy[];
const counting = ['all', 'switches', 'hosts'] as const satisfies readonly CountingNodes[];
const share = readBy((given) => {
  const percent = /^(\d+(?:\.\d+)?)\s?%$/.exec(given)?.[1];
  const number = percent === undefined ? (given.trim() === '' ? NaN : Number(given)) : Number(percent) / 100;
  return number >= 0 && number < 1 ? number : null;
}, 'a share below 1, such as 2% or 0.02.');

const size = readBy(parseSizeBytes, 'a size such as 64KB or 4096.');

/** The command `reconstruct`. */
export default routeCommandOf({
  name: 'reconstruct',
  description: 'who sent how much to whom, from what ports counted',
  options: [
    ...tablesScope,
    tablesOption('opensm-lfts.dump, or what dump_lfts or ibroute print; or ftree, dmodk or ecmp'),
    lidOffsetOption,
    oneOf(
      '--split <how>',
      'with --tables ecmp: switches split traffic over their ports: equal, all alike, or waits, less to those that waited',
      portSplits,
    ),
    value(
      '--split-ports <count>',
      'of more ports each switch takes so many for each destination, drawn by --seed',
      wholeNumberFrom(1, 1024),
    ),
    text('--counters <file>', 'what ports counted: output of perfquery or ibqueryerrors, or interface counters (CSV)'),
    text('--before <file>', 'an earlier reading; without it counters began at 0'),
    text('--interfaces <file>', 'ports of interfaces, where their names do not say: device,interface,node,port'),
    text('--traffic <pattern|file>', 'what is sent: it makes the counters, and the result is compared with it'),
    allocationOption('alone'),
    text('--truth <pattern|file>', 'with --counters: traffic that the result is compared with'),
    text('--jobs <file>', 'what squeue or sacct printed: only hosts of one job send to each other'),
    value('--lanes <count>', 'virtual lanes that counters tell apart', wholeNumberFrom(1, mostLanes), 1),
    value('--service-levels <count>', 'levels of pairs (default: as many as lanes)', wholeNumberFrom(1, 16)),
    value(
      '--classes <count>',
      'classes of service: each has levels, and so lanes, of its own; phases of --traffic in turn',
      wholeNumberFrom(1, 16),
    ),
    oneOf(
      '--strategy <how>',
      'lanes: random (drawn by ports and level, the usual one), separated (the same, with levels chosen so that exchanges on a leaf differ), pairs (drawn by port, source and destination), galois (by finite fields), steady (that of the level)',
      strategies,
    ),
    text('--path-records <file>', 'levels of pairs, not drawn: opensm-path-records.dump, or what saquery -p prints'),
    text('--sl2vl <file>', 'lanes of levels, not drawn: opensm-sl2vl.dump, or what smpquery sl2vl prints'),
    toggle('--port-totals', 'tell as well what port totals alone give, without lanes'),
    oneOf(
      '--mix <what>',
      'what is counted: bytes, packets, or mixed: (MTU x packets + bytes) / 2',
      counterMixes,
      'bytes',
    ),
    value('--mtu <size>', `bytes of a full packet (default: ${usualMtuBytes})`, wholeNumberFrom(1, 65_536)),
    value('--floor <size>', 'counters of no more count as 0: management sends a little by every port', size),
    oneOf('--ports <whose>', 'whose counters are used: all, or those of switches or hosts alone', counting, 'all'),
    value('--noise <share>', 'standard deviation of counters, such as 2%; those that are made are disturbed so', share),
    value('--missing <share>', 'of made counters, leave out those of this share of ports', share),
    value('--skew <share>', 'of made counters, read each node up to this share of the interval early or late', share),
    text('--dictionary <bases>', 'od, or bases of i, s, cd, scd, cs, scs joined by +', 'od'),
    oneOf(
      '--method <how>',
      'first-order steps, or exact: as a linear programme, of some thousand open pairs at most',
      searchMethods,
      'first-order',
    ),
    value('--reweight <count>', 'weigh what was found and search again, so often', wholeNumberFrom(1, mostReweights)),
    text('--start <file>', 'begin with this traffic, such as the matrix of a time before'),
    value('--seed <number>', 'of levels, lanes and random traffic', wholeNumber, 1),
    value(
      '--time <time>',
      `stop after this time and keep what was found (default: ${usualReconstructionSeconds}s)`,
      seconds,
    ),
    value('--work <steps>', 'stop after so many steps', wholeNumber),
    text('--out <file>', 'write the matrix as CSV, which --traffic reads'),
    text('--figure <file>', 'draw the matrix, beside the truth if it is known, as SVG or PNG'),
    toggle('--draw-bases', 'in --figure, draw as well what each basis tells of the matrix, and its entries there'),
    text('--trace-figure <file>', 'draw error and residual of the search over CPU time, as SVG or PNG'),
  ],
  drawsPng: true,
  help: `Examples:
  weft reconstruct --fabric quartz1 --tables ftree --traffic partisn --lanes 5
  weft reconstruct --fabric fabric.net --tables opensm-lfts.dump \\
    --counters after.txt --before before.txt --out matrix.csv
  weft reconstruct --fabric leaf-spine.topo --tables ecmp \\
    --counters interfaces.csv --out matrix.csv

docs/models/reconstruction.md says how, and how far to trust it.`,
  run: async ({ mtu, ...request }, host) => {
    const settings = { ...request, ...(mtu === undefined ? {} : { mtuBytes: mtu }) };
    const { csv, figure, traceFigure, ...found } = await reconstructTraffic(settings, host);
    return {
      texts: { out: csv, figure, traceFigure: traceFigure && (await chartSvg(traceFigure)) },
      object: (files) => reconstructionObject(found, files),
      lines: (files) => reconstructionLines(found, files),
      warnings: found.warnings,
    };
  },
});

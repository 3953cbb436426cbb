// Traffic that was found again beside what was sent, as Figures 5.15 and 5.17 of Taffet's dissertation (docs/SOURCES.md)
// show it: pictures of docs/models/traffic-matrices.md.
// Invariant: searches are limited by steps, so every machine draws the same.

import { collapsed, TrafficBuilder, TrafficColumn, type Traffic } from '#weft/flows/traffic/matrix.js';
import { matrixFigure } from '#weft/report/reconstruct/matrix-figure.js';
import { writeBlock, writeFile } from '../figures/pages.js';
import { bullySizes, bullyTraffic, weights } from '../tables/bully-jobs.js';
import { tableText } from '../tables/gap-tables.js';
import { bullyErrorsOf, bullyProblem } from './bully-errors.js';
import { reconstructedOnce } from './lane-errors.js';
import { matrixFolder, matrixPage, patternTraffic } from './matrix-pictures.js';

/** Ranks of BoxLib CNS, from the eleventh host on (4.7); those that are drawn; and steps of its search. */
const cns = { firstHost: 10, ranks: 1024, shown: 128, mostSteps: 200 };
const noLimit = 1e6;
const percent = (share: number): string => `${Number((100 * share).toPrecision(2))}`;

/** Draws both. @param say told what is being done */
export async function drawFoundMatrices(say: (text: string) => void): Promise<void> {
  say('the barrier beside a bully, found again');
  const problem = bullyProblem(bullySizes[0]!);
  const both = bullyTraffic(problem.size, problem.allocation, weights.mixed);
  const barrier = await bullyErrorsOf(problem, both.phases[0]!.matrix, false, noLimit);
  const inBarrier = problem.allocation.barrier;
  draw('barrier-found', ofHosts('barrier', barrier.traffic, inBarrier), ofHosts('barrier', both, inBarrier));

  say('boxlib-cns, found again');
  const found = await reconstructedOnce(
    { traffic: 'boxlib-cns', dictionary: 'od', lanes: 5, mostWork: cns.mostSteps },
    noLimit,
  );
  const ranks = Array.from({ length: cns.shown }, (_, rank) => rank);
  const hosts = ranks.map((rank) => cns.firstHost + rank);
  const sent = ofHosts('boxlib-cns', patternTraffic('boxlib-cns'), ranks);
  draw('boxlib-cns-found', ofHosts('boxlib-cns', found.traffic, hosts), sent);

  const rows = [
    ['barrier', `${inBarrier.length}`, percent(barrier.barrier), '8.2'],
    ['`boxlib-cns`', `${cns.ranks}`, percent(found.relativeError!), '86.9'],
  ];
  writeBlock(matrixPage, 'found-errors', `\n${tableText(['found', 'ranks', 'error, %', 'source'], rows)}\n`);
}

function draw(name: string, found: Traffic, sent: Traffic): void {
  writeFile(`${matrixFolder}/${name}.svg`, matrixFigure(found, sent));
  writeBlock(matrixPage, name, `\n![${name}](../figures/matrices/${name}.svg)\n\n`);
}

/** What some hosts send each other, by their places in a list. */
function ofHosts(name: string, traffic: Traffic, hosts: readonly number[]): Traffic {
  const placeOf = new Map(hosts.map((host, place) => [host, place]));
  const matrix = collapsed(traffic);
  const builder = new TrafficBuilder(hosts.length, traffic.unit);
  const column = new TrafficColumn(matrix.hostCount);
  hosts.forEach((host, to) => {
    matrix.toDestination(host, column);
    for (let i = 0; i < column.length; i++) {
      const from = placeOf.get(column.sources[i]!);
      if (from !== undefined && column.weights[i]! > 0) builder.add(from, to, column.weights[i]!);
    }
  });
  return {
    name,
    hostCount: hosts.length,
    unit: traffic.unit,
    note: '',
    phases: [{ name: 'all', matrix: builder.build() }],
  };
}

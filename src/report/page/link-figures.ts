// Loads of links between switches as charts: what each spine carried, and every link as a cell of a heat map, the way
// up and the way down apart.
// Invariants: a load is the share of what the link could have carried from the first start to the last end of the run's
// flows; of parallel links, and of switches that are put together where there are many, the highest is shown.

import { levelWord, switchLevels } from '../../fabric/switch-levels.js';
import type { Fabric } from '../../fabric/fabric.js';
import { short, sizeUnit, type BarFigure, type Figure, type MatrixFigure } from './figures.js';
import { shareOf, type CarriedLoads } from './carried-loads.js';
import type { ReportRun } from './report-run.js';

const mostPlaces = 64;
const mostBars = 64;
/** runs of which heat maps are drawn */
export const mostMapped = 4;

/** A run whose links are known. */
interface LoadedRun {
  readonly label: string;
  readonly colour: number;
  readonly loads: CarriedLoads;
  readonly durationPs: number;
}

/** The charts of link loads that the runs have something for. */
export function linkFigures(runs: readonly ReportRun[]): Figure[] {
  const loaded: LoadedRun[] = runs.flatMap(({ label, records: { loads, flows } }, colour) =>
    loads === null ? [] : [{ label, colour, loads, durationPs: flows.lastFinishPs - flows.firstStartPs }],
  );
  if (loaded.length === 0) return [];
  return [...spineBars(loaded), ...loaded.slice(0, mostMapped).flatMap((run) => heatMaps(run, loaded.length > 1))];
}

/** Switches by level from the leaves, each ascending. */
function switchesByLevel(fabric: Fabric): number[][] {
  const levels = switchLevels(fabric);
  const byLevel: number[][] = [];
  levels.forEach((level, node) => {
    if (level >= 1) (byLevel[level - 1] ??= []).push(node);
  });
  return byLevel;
}

/** Bytes that arrive at each switch of the highest level, if all runs have the same fabric above their leaves. */
function spineBars(runs: readonly LoadedRun[]): Figure[] {
  const byLevel = switchesByLevel(runs[0]!.loads.fabric);
  const top = byLevel.at(-1);
  if (byLevel.length < 2 || top === undefined) return [];
  if (runs.some(({ loads }) => (switchesByLevel(loads.fabric).at(-1) ?? []).join() !== top.join())) return [];
  const word = levelWord(byLevel.length);
  const amounts = runs.map(({ loads: { fabric, bytes } }) =>
    top.map((node) => {
      let sum = 0;
      for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++)
        sum += bytes[fabric.portPeer[port]!]!;
      return sum;
    }),
  );
  const highest = Math.max(...amounts.flat());
  if (highest === 0) return [];
  const { unit, bytes: per } = sizeUnit(highest);
  const isMany = top.length > mostBars;
  if (isMany) for (const own of amounts) own.sort((a, b) => b - a);
  const bars = Math.min(mostBars, top.length);
  const at = (bar: number): number => Math.floor((bar * top.length) / bars);
  const figure: BarFigure = {
    kind: 'bars',
    id: 'spine-loads',
    title: `Load of each ${word} switch`,
    note: isMany
      ? `Payload that crossed each ${word}, the most loaded first, one of every ${Math.round(top.length / bars)}; equal bars are a perfect spread.`
      : `Payload that crossed each ${word}, by its number: 0 is ${word}[0] of the scenario. Equal bars are a perfect spread.`,
    x: {
      name: isMany ? `${word} switches, most loaded first` : word,
      unit: '',
      names: Array.from({ length: bars }, (_, bar) => String(isMany ? at(bar) + 1 : bar)),
    },
    y: { name: 'payload', unit, least: 0 },
    series: runs.map(({ label, colour }, run) => ({
      name: label,
      colour,
      y: Array.from({ length: bars }, (_, bar) => short(amounts[run]![at(bar)]! / per)),
    })),
  };
  return [figure];
}

/** For each pair of levels that are linked, the way up and the way down. */
function heatMaps({ label, colour, loads, durationPs }: LoadedRun, isOneOfMany: boolean): MatrixFigure[] {
  const byLevel = switchesByLevel(loads.fabric);
  const figures: MatrixFigure[] = [];
  for (let level = 0; level + 1 < byLevel.length; level++) {
    const [low, high] = [byLevel[level]!, byLevel[level + 1]!];
    const [lowWord, highWord] = [levelWord(level + 1), levelWord(level + 2)];
    for (const up of [true, false]) {
      const [rows, columns] = [groupsOf(low, lowWord), groupsOf(high, highWord)];
      const values = sharesBetween(loads, rows, columns, up, durationPs);
      // nothing to see where nothing went
      if (values.every((value) => value === null || value === 0)) continue;
      const together = rows.per * columns.per > 1 ? ' Switches that follow each other are put together.' : '';
      figures.push({
        kind: 'matrix',
        id: `load-${lowWord}-${highWord}-${up ? 'up' : 'down'}-${colour + 1}`,
        title: `Link load, ${up ? `${lowWord} to ${highWord}` : `${highWord} to ${lowWord}`}${isOneOfMany ? `: ${label}` : ''}`,
        note: `Share of what each link could have carried, from the first start to the last end of a flow; ${up ? 'the way up' : 'the way down'}.${together}`,
        rows: { name: lowWord, names: rows.names },
        columns: { name: highWord, names: columns.names },
        value: { name: 'load', unit: '%' },
        values,
        colours: 'load',
      });
    }
  }
  return figures;
}

interface Groups {
  readonly names: string[];
  readonly per: number;
  readonly of: ReadonlyMap<number, number>;
}

/** At most so many places for nodes: neighbours share one where there are more. */
function groupsOf(nodes: readonly number[], word: string): Groups {
  const per = Math.ceil(nodes.length / mostPlaces);
  return {
    per,
    names: Array.from({ length: Math.ceil(nodes.length / per) }, (_, i) =>
      per === 1 ? `${word}[${i}]` : `${word}[${i * per}..${Math.min(nodes.length, (i + 1) * per) - 1}]`,
    ),
    of: new Map(nodes.map((node, i) => [node, Math.floor(i / per)])),
  };
}

function sharesBetween(
  loads: CarriedLoads,
  rows: Groups,
  columns: Groups,
  up: boolean,
  durationPs: number,
): (number | null)[] {
  const values: (number | null)[] = Array.from({ length: rows.names.length * columns.names.length }, () => null);
  const { portNode, portPeer, portOffset } = loads.fabric;
  for (const [node, row] of rows.of) {
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
      const peer = portPeer[port]!;
      const column = columns.of.get(portNode[peer]!);
      if (column === undefined) continue;
      const cell = row * columns.names.length + column;
      values[cell] = Math.max(values[cell] ?? 0, short(100 * shareOf(loads, up ? port : peer, durationPs), 4));
    }
  }
  return values;
}

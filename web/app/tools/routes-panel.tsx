// The search of routes on a fat tree, and its gap over time. Heuristics alone: the exact programmes need a solver, which
// the page does not have.

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import type { LineFigure } from '#weft/report/page/figures.js';
import { Choice, Figures, RunLine } from './fields.js';
import { LineChart } from './line-chart.js';
import { treeChoices } from './tool-fabrics.js';
import type { SearchPoint, ToolResults } from './tool-protocol.js';
import { ToolRun } from './tool-run.js';

const fabric = signal('tapered');
const traffic = signal('bs-random-shuffle');
const seconds = signal('5');
const run = new ToolRun('routes');
const patterns = [
  ['bs-random-shuffle', 'each of one half with a random one of the other'],
  ['random-permutation', 'everyone to one other, at random'],
  ['bisection', 'the first half with the second'],
  ['stencil', 'neighbours on a lattice'],
  ['all-to-all', 'everyone to everyone'],
] as const;

/** Loads above the adaptive bound, in percent, as steps. */
function gapFigure({ points, adaptiveBound, seconds: end }: ToolResults['routes']): LineFigure {
  const gap = (load: number): number => 100 * (load / (adaptiveBound || 1) - 1);
  const steps = (valueOf: (point: SearchPoint) => number): { x: number[]; y: number[] } => {
    const known = points.filter((point) => Number.isFinite(valueOf(point)));
    const last = known.at(-1);
    return {
      x: [...known.map((point) => point.seconds), ...(last === undefined ? [] : [end])],
      y: [...known, ...(last === undefined ? [] : [last])].map((point) => gap(valueOf(point))),
    };
  };
  return {
    kind: 'lines',
    id: 'route-gap',
    title: 'How far above the bound',
    note: 'Largest load of a link against the least that adaptive routes could have; both lines hold until the next step.',
    x: { name: 'time', unit: 's', least: 0 },
    y: { name: 'AR gap', unit: '%' },
    series: [
      { name: 'best so far', colour: 0, ...steps(({ largestLoad }) => largestLoad), isStepped: true },
      { name: 'lower bound', colour: 1, ...steps(({ lowerBound }) => lowerBound), isStepped: true, isDashed: true },
    ],
  };
}

function load(value: number): string {
  return String(Number(value.toPrecision(6)));
}

export function RoutesPanel(): VNode {
  const result = run.result.value;
  const last = run.news.value.at(-1);
  return (
    <>
      <div class="fields">
        <Choice
          label="fat tree"
          value={fabric}
          options={Object.entries(treeChoices).map(([name, { text }]) => [name, text])}
        />
        <Choice label="traffic" value={traffic} options={patterns} />
        <Choice
          label="at most"
          value={seconds}
          options={[
            ['5', '5 seconds'],
            ['20', '20 seconds'],
            ['60', '60 seconds'],
          ]}
        />
      </div>
      <RunLine
        run={run}
        begin={() => run.begin({ fabric: fabric.value, traffic: traffic.value, seconds: Number(seconds.value) })}
        said={
          run.isRunning.value && last !== undefined
            ? `${last.stage}: largest load ${Number.isFinite(last.largestLoad) ? load(last.largestLoad) : 'not known yet'}, bound ${load(last.lowerBound)}`
            : ''
        }
      />
      {result === null ? null : (
        <>
          <LineChart figure={gapFigure(result)} />
          <Figures
            rows={[
              ['hosts', result.hosts],
              ['largest load', load(result.largestLoad)],
              ['least that adaptive routes could have', load(result.adaptiveBound)],
              ['AR gap', `${(100 * result.gap).toFixed(2)} %`],
              [
                'lower bound',
                result.isProven ? `${load(result.lowerBound)}: no static routes have less` : load(result.lowerBound),
              ],
            ]}
          />
        </>
      )}
      <p class="faint">By Weft&apos;s search. The exact programmes need a solver, which the command line has.</p>
    </>
  );
}

// Collectives: bus bandwidth over size, with a table of nccl-tests beside it and the error of each size.

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { FirstChoices } from '#weft/app/first-scenario.js';
import { formatSizeBytes, formatTimePs } from '#weft/base/units.js';
import type { ComparedRow } from '#weft/report/figures/collectives.js';
import { comparisonSums } from '#weft/report/measured-comparison.js';
import type { LineFigure } from '#weft/report/page/figures.js';
import { engine } from '../state.js';
import { Choice, RunLine } from './fields.js';
import { LineChart } from './line-chart.js';
import type { SizePoint } from './tool-protocol.js';
import { ToolRun } from './tool-run.js';

const family = signal('spectrum-x');
const gpus = signal('16');
const collective = signal('allreduce');
const table = signal('');
const choices = signal<FirstChoices | null>(null);
const run = new ToolRun('collective');

function percent(share: number): string {
  return `${share >= 0 ? '+' : ''}${(share * 100).toFixed(1)} %`;
}

function bandwidthFigure(points: readonly SizePoint[], measured: readonly (readonly ComparedRow[])[]): LineFigure {
  return {
    kind: 'lines',
    id: 'bus-bandwidth',
    title: 'Bus bandwidth over size',
    note:
      measured.length > 0 ? 'Simulated, and as the table has it (dashed).' : 'Simulated; both axes are logarithmic.',
    x: { name: 'size', unit: 'KiB', isLogarithmic: true, logBase: 2 },
    y: { name: 'bus bandwidth', unit: 'GB/s', isLogarithmic: true },
    series: [
      {
        name: 'simulated',
        colour: 0,
        x: points.map(({ sizeBytes }) => sizeBytes / 1024),
        y: points.map(({ busBandwidth }) => busBandwidth / 1e9),
        hasPoints: true,
      },
      ...measured.map((rows, i) => ({
        name: measured.length > 1 ? `measured, table ${i + 1}` : 'measured',
        colour: i + 1,
        x: rows.map(({ sizeBytes }) => sizeBytes / 1024),
        y: rows.map(({ measuredBusbwGBps }) => measuredBusbwGBps),
        isDashed: true,
        hasPoints: true,
      })),
    ],
  };
}

function Rows({
  points,
  measured,
}: {
  readonly points: readonly SizePoint[];
  readonly measured: readonly ComparedRow[];
}): VNode {
  const bySize = new Map(measured.map((row) => [row.sizeBytes, row]));
  const hasTable = measured.length > 0;
  return (
    <div class="list" tabIndex={0} role="group" aria-label="bus bandwidth by size">
      <table data-testid="tool-figures">
        <thead>
          <tr>
            <th scope="col">size</th>
            <th scope="col">algorithm</th>
            <th scope="col">time</th>
            <th scope="col">busbw, GB/s</th>
            {hasTable ? <th scope="col">measured</th> : null}
            {hasTable ? <th scope="col">error</th> : null}
          </tr>
        </thead>
        <tbody>
          {points.map(({ sizeBytes, timePs, busBandwidth, algorithm }) => {
            const beside = bySize.get(sizeBytes);
            return (
              <tr>
                <td>{formatSizeBytes(sizeBytes)}</td>
                <td>{algorithm}</td>
                <td>{formatTimePs(Math.round(timePs))}</td>
                <td>{(busBandwidth / 1e9).toFixed(2)}</td>
                {hasTable ? <td>{beside?.measuredBusbwGBps.toFixed(2) ?? ''}</td> : null}
                {hasTable ? <td>{beside === undefined ? '' : percent(beside.busbwError)}</td> : null}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Words that say what they are. */
function named(names: readonly string[]): readonly (readonly [string, string])[] {
  return names.map((name) => [name, name]);
}

function begin(): void {
  run.begin({ family: family.value, gpus: Number(gpus.value), collective: collective.value, table: table.value });
}

export function CollectivePanel(): VNode {
  useEffect(() => {
    void engine.choices().then((found) => (choices.value = found));
  }, []);
  const found = choices.value;
  const result = run.result.value;
  const points = result?.points ?? run.news.value;
  const measured = result?.measured ?? [];
  const sums = measured.length === 0 ? null : comparisonSums(measured.flat());
  const last = points.at(-1);
  return (
    <>
      <div class="fields">
        <Choice label="fabric" value={family} options={named(found?.fabrics ?? [family.value])} />
        <label>
          GPUs{' '}
          <input
            type="number"
            min={2}
            max={1024}
            value={gpus.value}
            onInput={(event) => (gpus.value = event.currentTarget.value)}
          />
        </label>
        <Choice label="collective" value={collective} options={named(found?.collectives ?? [collective.value])} />
        <label class="pasted">
          What nccl-tests printed, if you have it
          <textarea
            rows={4}
            spellcheck={false}
            data-testid="nccl-table"
            value={table.value}
            onInput={(event) => (table.value = event.currentTarget.value)}
          />
        </label>
      </div>
      <RunLine
        run={run}
        begin={begin}
        said={run.isRunning.value && last !== undefined ? `up to ${formatSizeBytes(last.sizeBytes)}` : ''}
      />
      {points.length === 0 ? null : <LineChart figure={bandwidthFigure(points, measured)} />}
      {sums === null ? null : (
        <p data-testid="tool-errors">
          Median error: times {(sums.time.median * 100).toFixed(1)} %, bandwidths of large messages{' '}
          {Number.isNaN(sums.bandwidth.median) ? 'unknown' : `${(sums.bandwidth.median * 100).toFixed(1)} %`}.
        </p>
      )}
      {result?.warnings.map((text) => (
        <p class="faint">{text}</p>
      ))}
      {points.length === 0 ? null : <Rows points={points} measured={measured.flat()} />}
    </>
  );
}

// Reconstruction: a matrix is sent, counted by ports and lanes, and found again from what was counted alone.

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { Choice, Figures, RunLine, Slider } from './fields.js';
import { treeChoices } from './tool-fabrics.js';
import { ToolRun } from './tool-run.js';

const fabric = signal('small');
const traffic = signal('stencil');
const lanes = signal(4);
const noise = signal(0);
const mostSeconds = 10;
const run = new ToolRun('matrix');
const patterns = [
  ['stencil', 'neighbours on a lattice'],
  ['random-permutation', 'everyone to one other, at random'],
  ['bisection', 'the first half with the second'],
  ['ring-allreduce', 'a ring'],
  ['all-to-all', 'everyone to everyone'],
] as const;

export function MatrixPanel(): VNode {
  const result = run.result.value;
  return (
    <>
      <div class="fields">
        <Choice
          label="fat tree"
          value={fabric}
          options={['small', 'middle'].map((name) => [name, treeChoices[name]!.text])}
        />
        <Choice label="traffic" value={traffic} options={patterns} />
        <Slider label="virtual lanes" value={lanes} from={1} to={8} step={1} text={String} />
        <Slider label="noise of counters" value={noise} from={0} to={5} step={0.5} text={(value) => `${value} %`} />
      </div>
      <RunLine
        run={run}
        begin={() =>
          run.begin({
            fabric: fabric.value,
            traffic: traffic.value,
            lanes: lanes.value,
            noise: noise.value / 100,
            seconds: mostSeconds,
          })
        }
        said={run.isRunning.value ? `searching, for ${mostSeconds} seconds at most` : ''}
      />
      {result === null ? null : (
        <>
          <Figures
            rows={[
              ['pairs of hosts, and counters', `${result.pairs} and ${result.counters}`],
              [
                'error, of all that was sent',
                result.relativeError === null ? 'unknown' : `${(100 * result.relativeError).toPrecision(3)} %`,
              ],
              ['counters are met to', `${(100 * result.residual).toPrecision(3)} %`],
              ['the search', `${result.end} after ${result.steps} steps`],
            ]}
          />
          <div class="sheet" tabIndex={0} role="group" aria-label="pictures of the matrices">
            <div
              role="img"
              aria-label={`Matrices of ${result.hosts} hosts: found, sent and the difference`}
              dangerouslySetInnerHTML={{ __html: result.picture }}
            />
          </div>
        </>
      )}
    </>
  );
}

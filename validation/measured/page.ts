// docs/models/measured.md: errors by class; measured-runs.csv beside it has those of every run with its source and what is
// unknown, measured.csv every size. Nothing in them depends on the machine or the hour.

import type { ErrorSummary } from '#weft/report/figures/collectives.js';
import { comparisonSums, errorSummary, errorPercentText } from '#weft/report/measured-comparison.js';
import { formatSizeBytes } from '#weft/base/units.js';
import { ncclNetwork } from '#weft/collectives/nccl-figures.js';
import { bandwidthFromBytes, latencyBelowBytes } from '#weft/report/band-classes.js';
import { csvText } from '../data-file.js';
import { type BandedRow, bandTable, measuredBandsOf } from '../error-bands.js';
import { methods } from './methods.js';
import { mostFluidRanks, type PredictedRow, type PredictedRun } from './predict.js';
import { type Cluster, clusterOf, profileOfCluster, type UnpredictedRun } from './runs.js';

const classes: Readonly<Record<string, string>> = {
  A: 'A: allreduce in one server',
  B: 'B: allreduce on two servers',
  C: 'C: allreduce on three servers and more',
  D: 'D: all-to-all',
  E: 'E: allgather, reduce-scatter, sendrecv',
};

/** Beyond that, a row below 64 KiB stands in a table of its own. */
const mostLatencyError = 0.3;

/** The whole page. */
export function measuredPage(
  clusters: ReadonlyMap<string, Cluster>,
  predicted: readonly PredictedRun[],
  unpredicted: readonly UnpredictedRun[],
): string {
  return `${[
    '# Measured and predicted',
    '',
    '<!-- the whole page is written by `npm run measured` -->',
    '',
    intro(predicted, unpredicted),
    '## Errors by class',
    '',
    ...sums(predicted),
    '',
    'An error is predicted over measured, less one: a time of +10 % is predicted too long, a bandwidth of +10 % too high. Medians are of',
    'absolute errors. Rows whose source states a fault, noise or background traffic are the last line, and in no other.',
    '',
    '## Below 64 KiB, beyond 30 %',
    '',
    ...farLatencies(predicted),
    '',
    '## Between servers: what is unknown',
    '',
    'Classes that are predicted badly or of which too little was published, all rows without a stated disturbance.',
    '',
    '| class | rows | time: median | worst | what is unknown |',
    '|---|---|---|---|---|',
    ...unknownBetweenServers(predicted),
    '',
    '## How they were measured',
    '',
    'What a way to measure adds to every run of it; each figure from a source that is none of the runs.',
    '',
    '| method | |',
    '|---|---|',
    ...Object.entries(methods).map(([name, { about }]) => line([name, about])),
    '',
    '## Error bands',
    '',
    'A band is what commands print beside figures of the profile `nccl` and of those of networks (`errorBand` in `--json`). It holds absolute errors',
    'of times, of all rows without a stated disturbance. A row counts in the narrowest class of GPUs, network, kind, servers and sizes that holds for',
    'clusters that are left out. A cluster is one line of the table of clusters at one source. Two things are left out in turn:',
    '',
    '- **From the figures.** A row counts with its error "left out" (`measured.csv`): figures that were fitted to its cluster are fitted to the others.',
    '  Without others, they are what hardware without rows takes (`validation/measured/left-out.ts`). Figures of NCCL are not fitted.',
    '- **From the band.** It is made from the other clusters, and the last column counts the rows left out that lie inside. "9 of 10" is the narrowest share',
    '  of all rows, from nine of ten up, by which nine of ten left out do. Where the worst of the others does not suffice, up to a quarter is added.',
    '',
    'A class needs ten rows and 88 to 95 % inside. It needs three clusters; two suffice if it is of one kind of GPUs, or of all sizes. A wider class stands',
    'for others, with the rows of no narrower one. There is no band for broadcast and reduce, for GPUs that no cluster has, for a kind over a',
    'network of which nothing was measured, and for what is left of too few clusters.',
    '',
    ...plainSentence(predicted),
    '',
    ...bandTable(measuredBandsOf(bandedRows(clusters, predicted))),
    '',
    '## Clusters',
    '',
    '| cluster | | profile | assumed | fabric |',
    '|---|---|---|---|---|',
    ...[...clusters].map(([name, cluster]) => {
      const { about, assumed, nvls, environment, fabric } = cluster;
      return `| ${name} | ${about} | \`${profileOfCluster(cluster)}\` | ${assumed ?? ''} | \`${fabricText(fabric)}\`${nvls === false ? ', no NVLS' : ''}${environment === undefined ? '' : `, \`${variablesText(environment)}\``} |`;
    }),
    '',
    '## Runs',
    '',
    'Errors of times by run, with its source and what is unknown of it: [measured-runs.csv](measured-runs.csv). Every size is in',
    '[measured.csv](measured.csv), what the sources say word by word in `validation/measured/runs.yaml`.',
    '',
    '## Not predicted',
    '',
    'Each with its source in measured-runs.csv.',
    '',
    '| why not | statements |',
    '|---|---|',
    ...groups(unpredicted, ({ notPredicted }) => notPredicted).map((own) =>
      line([own[0]!.notPredicted, String(own.length)]),
    ),
  ].join('\n')}\n`;
}

function intro(predicted: readonly PredictedRun[], unpredicted: readonly UnpredictedRun[]): string {
  const rows = predicted.reduce((sum, own) => sum + own.rows.length, 0);
  return `What clusters measured and what Weft predicts, for every published run that was collected: ${predicted.length} runs of collectives with ${rows} sizes, and
${unpredicted.length} statements that Weft does not predict, with the reason. Nothing is left out because it fits badly.

A cluster is described by what its servers have and by the profile that its users name: \`nccl\`, the default, over InfiniBand and RoCE, another where the
network is another. [What profiles take](collectives.md#what-hardware-takes) says to which of these rows each figure was fitted. No row has a parameter of its own but what
its source set (an algorithm, a protocol, NVLS off) and how it measured. Groups of up to ${mostFluidRanks} ranks, and sendrecv, run on the fluid backend, larger ones on the analytical one.
`;
}

/** The runs of a class. */
function ofClass(predicted: readonly PredictedRun[], name: string): PredictedRun[] {
  return predicted.filter(({ run }) => run.class === name);
}

/** All rows without a stated disturbance, as bands count them: with the errors of what was not fitted to their cluster. */
export function bandedRows(clusters: ReadonlyMap<string, Cluster>, predicted: readonly PredictedRun[]): BandedRow[] {
  return predicted.flatMap(({ run, rows }) => {
    const { kind, servers } = run;
    const cluster = clusters.get(run.cluster)!;
    return calm(rows).map(({ sizeBytes, leftOutTimeError }) => ({
      cluster: clusterOf(run),
      kind,
      servers,
      sizeBytes,
      gpuType: String(cluster.fabric['gpuType']),
      network: ncclNetwork(profileOfCluster(cluster)),
      error: leftOutTimeError,
    }));
  });
}

function summaryText({ median, worst }: ErrorSummary): string {
  return `median ${errorPercentText(median).slice(1)} %, worst ${errorPercentText(worst)} %`;
}

/** What `nccl` gives where users name another profile. */
function plainSentence(predicted: readonly PredictedRun[]): string[] {
  const others = predicted.flatMap(({ rows }) => calm(rows).filter(({ plainTimeError }) => plainTimeError !== null));
  if (others.length === 0) return [];
  const own = errorSummary(others);
  const plain = errorSummary(others, (row) => (row as PredictedRow).plainTimeError!);
  return [`${own.rows} such rows: by their own profiles ${summaryText(own)}; by \`nccl\` ${summaryText(plain)}.`];
}

/** Rows without a stated disturbance. */
function calm(rows: readonly PredictedRow[]): PredictedRow[] {
  return rows.filter(({ disturbed }) => disturbed === null);
}

function sums(predicted: readonly PredictedRun[]): string[] {
  const all = predicted.flatMap(({ rows }) => rows);
  const bands: [name: string, rows: readonly PredictedRow[]][] = [
    ...Object.entries(classes).map(([name, title]): [string, PredictedRow[]] => [
      title,
      calm(ofClass(predicted, name).flatMap(({ rows }) => rows)),
    ]),
    ['all of these', calm(all)],
    ['with a stated fault, noise or background traffic', all.filter(({ disturbed }) => disturbed !== null)],
  ];
  const below = formatSizeBytes(latencyBelowBytes);
  const from = formatSizeBytes(bandwidthFromBytes);
  return [
    `| class | rows | time: median | worst | time below ${below}: rows | median | worst | busbw from ${from}: rows | median | worst |`,
    '|---|---|---|---|---|---|---|---|---|---|',
    ...bands.map(([title, rows]) => {
      const { time, latency, bandwidth } = comparisonSums(rows);
      return line([title, ...errorCells(time), ...errorCells(latency), ...errorCells(bandwidth)]);
    }),
  ];
}

const mid = (row: PredictedRow): boolean => row.sizeBytes >= latencyBelowBytes && row.sizeBytes < bandwidthFromBytes;
const small = (row: PredictedRow): boolean => row.sizeBytes < latencyBelowBytes;

/** Classes between servers of which something is known to be missing. */
function unknownBetweenServers(predicted: readonly PredictedRun[]): string[] {
  const classes: [string, (run: PredictedRun['run']) => boolean, (row: PredictedRow) => boolean, string][] = [
    [
      'sendrecv, one GPU per server',
      ({ kind, ranksPerServer }) => kind === 'sendrecv' && ranksPerServer === 1,
      () => true,
      'channels, and what the copy into the buffers of the network takes: 36 GB/s come of a NIC of 50',
    ],
    [
      'sendrecv, several GPUs per server',
      ({ kind, ranksPerServer }) => kind === 'sendrecv' && ranksPerServer > 1,
      () => true,
      'why 25 to 26 GB/s at every size come of a NIC of 50 whose all-to-all reaches 47: channels for each peer, and which NIC they take',
    ],
    [
      'allgather below 64 KiB',
      ({ kind }) => kind === 'allgather',
      small,
      'one row apart (above) the error is small; sources do not state NCCL versions and thresholds of LL and LL128',
    ],
    [
      'allgather from 64 KiB to 64 MiB',
      ({ kind }) => kind === 'allgather',
      mid,
      'protocol and channels that NCCL took; with Simple a small buffer takes up to five times what is predicted (Slingshot), three over TCPX',
    ],
    [
      'EFA below 64 KiB',
      ({ cluster }) => cluster === 'h200-efa',
      small,
      "nothing was published that states a table; EFA's own latency (SRD), and NCCL's plug-in for it, have no figure here, and there is no band",
    ],
  ];
  return classes.map(([name, isOfRun, isOfRow, unknown]) => {
    const rows = predicted.flatMap((one) =>
      one.run.servers > 1 && isOfRun(one.run) ? calm(one.rows).filter(isOfRow) : [],
    );
    if (rows.length === 0) return line([name, '0', '', '', unknown]);
    const { median, worst } = errorSummary(rows);
    return line([
      name,
      String(rows.length),
      `${errorPercentText(median).slice(1)} %`,
      `${errorPercentText(worst)} %`,
      unknown,
    ]);
  });
}

/** Rows of small messages that are predicted badly, each with what is known of it. */
function farLatencies(predicted: readonly PredictedRun[]): string[] {
  const far = predicted.flatMap(({ run, rows }) =>
    calm(rows)
      .filter(({ sizeBytes, timeError }) => sizeBytes < latencyBelowBytes && Math.abs(timeError) > mostLatencyError)
      .map((row) => ({ id: run.id, row })),
  );
  if (far.length === 0) return ['None.'];
  return [
    '| run | bytes | measured us | predicted us | error | what is known |',
    '|---|---|---|---|---|---|',
    ...far.map(({ id, row: { sizeBytes, measuredUs, simulatedUs, timeError, remark } }) =>
      line([
        id,
        String(sizeBytes),
        figure(measuredUs),
        figure(simulatedUs),
        `${errorPercentText(timeError)} %`,
        remark ?? 'nothing',
      ]),
    ),
  ];
}

function errorCells({ rows, median, worst }: ErrorSummary): string[] {
  return rows === 0
    ? ['0', '', '']
    : [String(rows), `${errorPercentText(median).slice(1)} %`, `${errorPercentText(worst)} %`];
}

/** Every run, predicted or not, with its source. */
export function measuredRunsCsv(predicted: readonly PredictedRun[], unpredicted: readonly UnpredictedRun[]): string {
  return csvText(
    [
      'run',
      'class',
      'predicted',
      'sizes',
      'medianPercent',
      'worstPercent',
      'notPredicted',
      'source',
      'unknown',
      'disturbed',
    ],
    [
      ...predicted.map(({ run, backend, rows }) => {
        const { median, worst } = errorSummary(rows);
        return [
          run.id,
          run.class,
          predictedText(run, backend),
          rows.length,
          errorPercentText(median).slice(1),
          errorPercentText(worst),
          '',
          run.source,
          run.unknown,
          [...new Set(rows.flatMap(({ disturbed }) => disturbed ?? []))].join('; '),
        ];
      }),
      ...unpredicted.map(({ id, notPredicted, source }) => [id, '', '', '', '', '', notPredicted, source, '', '']),
    ],
  );
}

/** What was predicted, in words. */
function predictedText(run: PredictedRun['run'], backend: string): string {
  const { cluster, servers, ranksPerServer, kind } = run;
  return [
    `${kind}, ${servers} x ${ranksPerServer} GPUs of ${cluster}, ${backend}`,
    ...(run.algorithm === undefined ? [] : [`algorithm ${run.algorithm}`]),
    ...(run.protocol === undefined ? [] : [`protocol ${run.protocol}`]),
    ...(run.method === undefined ? [] : [`measured by ${run.method}`]),
    ...(run.nvls === undefined ? [] : [`NVLS ${run.nvls ? 'on' : 'off'}`]),
  ].join(', ');
}

/** Every size of every run. */
export function measuredCsv(predicted: readonly PredictedRun[]): string {
  return csvText(
    [
      'run',
      'class',
      'kind',
      'servers',
      'gpusPerServer',
      'cluster',
      'backend',
      'sizeBytes',
      'measuredUs',
      'predictedUs',
      'errorPercent',
      'measuredGBps',
      'predictedGBps',
      'errorGBpsPercent',
      'choice',
      'leftOutPercent',
      'ncclPercent',
      'disturbed',
      'source',
    ],
    predicted.flatMap(({ run, backend, rows }) =>
      rows.map((row) => [
        run.id,
        run.class,
        run.kind,
        run.servers,
        run.ranksPerServer,
        run.cluster,
        backend,
        row.sizeBytes,
        figure(row.measuredUs),
        figure(row.simulatedUs),
        errorPercentText(row.timeError),
        figure(row.measuredBusbwGBps),
        figure(row.simulatedBusbwGBps),
        errorPercentText(row.busbwError),
        row.how,
        errorPercentText(row.leftOutTimeError),
        row.plainTimeError === null ? '' : errorPercentText(row.plainTimeError),
        row.disturbed ?? '',
        run.source,
      ]),
    ),
  );
}

/** What has the same key together, in the order in which the keys first come. */
function groups<T>(all: readonly T[], keyOf: (one: T) => string): T[][] {
  const byKey = new Map<string, T[]>();
  for (const one of all) byKey.set(keyOf(one), [...(byKey.get(keyOf(one)) ?? []), one]);
  return [...byKey.values()];
}

function figure(value: number): string {
  return value >= 1e4 ? value.toFixed(0) : value.toFixed(2);
}

function fabricText(fabric: Cluster['fabric']): string {
  return `{ ${Object.entries(fabric)
    .map(([key, value]) => `${key}: ${value}`)
    .join(', ')} }`;
}

function variablesText(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

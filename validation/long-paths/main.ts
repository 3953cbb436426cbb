// `npm run long-paths`: 30 MB over long, lossy paths by each transport, beside what the OmniDMA authors' simulator gave;
// writes the tables of docs/models/transports.md, and every figure to long-paths.csv.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { csvText, writeWhole } from '../data-file.js';
import { programCommand } from '../program-command.js';
import { repositoryFolder } from '../repository.js';
import {
  goBackN,
  irn,
  irnRewinding,
  irnWithoutWindow,
  lossRates,
  medianPath,
  omnidma,
  type PathRun,
  type PathTransport,
  runPath,
  wholeNanosecondsBps,
} from './lossy-path.js';

programCommand('long-paths', import.meta.url).parse();

const page = path.join(repositoryFolder, 'docs/models/transports.md');
const [begin, end] = ['<!-- long-paths: begin (written by `npm run long-paths`) -->', '<!-- long-paths: end -->'];
const seeds = 5;
const untilMs = 100;

const csvPath = path.join(repositoryFolder, 'docs/models/long-paths.csv');
const csvRows: (string | number)[][] = [];

/** `2.557, 0`: completion in milliseconds, packets sent again. */
function text({ fctMs, repeated }: PathRun): string {
  return `${completion(fctMs)}, ${repeated}`;
}

function completion(fctMs: number): string {
  return fctMs === Infinity ? `over ${untilMs}` : fctMs.toFixed(3);
}

function csvRow(simulator: string, { fctMs, repeated, lost, timeouts }: PathRun): (string | number)[] {
  return [simulator, completion(fctMs), repeated, lost, timeouts];
}

function table(delayUs: number, rates: readonly number[], transports: readonly PathTransport[]): string {
  const head = `| loss | ${transports.map(({ name }) => name).join(' | ')} |\n|---|${transports.map(() => '---|').join('')}\n`;
  return (
    head +
    rates
      .map((rate) => {
        const at = lossRates.indexOf(rate as (typeof lossRates)[number]);
        const cells = transports.map((transport) => {
          process.stderr.write(`\r${delayUs} us, loss ${rate}, ${transport.name}`.padEnd(60));
          const ours = medianPath(seeds, (seed) => runPath(transport, delayUs, rate, seed, { untilMs }));
          const key = [delayUs, rate, transport.name];
          csvRows.push([...key, ...csvRow('weft', ours)]);
          const list = transport.peer[delayUs];
          if (list === undefined) return text(ours);
          const peer = list[at];
          if (peer === null || peer === undefined) return `${text(ours)}<br>*given up*`;
          csvRows.push([...key, ...csvRow('peer', peer)]);
          return `${text(ours)}<br>*${text(peer)}*`;
        });
        return `| ${rate} | ${cells.join(' | ')} |\n`;
      })
      .join('')
  );
}

const noLoss = runPath(omnidma, 10, 0, 1, { rateBps: wholeNanosecondsBps }).fctMs;
const written = [
  '**10 us**',
  table(10, lossRates, [goBackN, irn, irnRewinding, omnidma]),
  '**1 ms**',
  table(1000, lossRates, [goBackN, irn, irnRewinding, omnidma]),
  `Where the peer's figures come from, by experiment. Without loss, over links of ${(wholeNanosecondsBps / 1e9).toFixed(3)} Gb/s, on which 1,056 B take 84 ns as there: ${noLoss.toFixed(4)} ms (there 2.5421). IRN's window at 1 ms:`,
  table(1000, [1e-4, 1e-3, 1e-2], [irn, irnWithoutWindow, omnidma]),
  '**5 ms**',
  table(5000, [1e-3, 1e-2, 5e-2], [irnWithoutWindow, omnidma]),
].join('\n\n');
process.stderr.write('\r');
process.stdout.write(`${written}\n`);
const before = readFileSync(page, 'utf8');
const [from, to] = [before.indexOf(begin), before.indexOf(end)];
if (from < 0 || to < from) throw new Error(`the page has no lines ${begin} and ${end}`);
writeWhole(page, `${before.slice(0, from + begin.length)}\n\n${written}\n${before.slice(to)}`);
const columns = ['delayUs', 'loss', 'transport', 'simulator', 'completionMs', 'sentAgain', 'lost', 'timeouts'];
writeWhole(csvPath, csvText(columns, csvRows));

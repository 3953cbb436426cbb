// The command that searches routes, as a process, on traffic that it does not soon come to an end with; and what it
// leaves when it gets a signal.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RandomStream } from '#weft/base/random.js';
import { generateFabric } from '#weft/fabric/generators/catalogue.js';
import { writeTopology } from '#weft/formats/simai-topology-text.js';
import { repositoryFolder } from './repository.js';

const hosts = 128;

/** Files of a search: a tree, and traffic between pairs with sizes of all kinds. */
export function hardRoutes(): { readonly 'f.txt': string; readonly 'm.csv': string } {
  const random = new RandomStream(1, 'traffic of searches that are stopped');
  const lines = ['source,destination,bytes'];
  for (let from = 0; from < hosts; from++)
    for (let to = 0; to < hosts; to++)
      if (from !== to && random.nextFraction() < 0.2)
        lines.push(`${from},${to},${1 + Math.floor(1000 * random.nextFraction() * random.nextFraction())}`);
  return { 'f.txt': writeTopology(generateFabric('fat-tree', { k: 8 })), 'm.csv': `${lines.join('\n')}\n` };
}

/** What a process came to. */
export interface Ending {
  /** from the signal to its end */
  readonly lateMs: number;
  /** what is wrong with what it left; null = nothing */
  readonly problem: string | null;
}

/**
 * Starts a search that would take minutes and sends SIGTERM.
 * @param folder has the files of `hardRoutes`; the tables are written there
 */
export async function terminated(folder: string, afterMs: number): Promise<Ending> {
  const out = join(folder, 'out.lfts');
  await rm(out, { force: true });
  const words = ['route', 'compute', '--fabric', join(folder, 'f.txt'), '--algorithm', 'weft'];
  const options = ['--traffic', join(folder, 'm.csv'), '--time', '10min', '--patience', '1000', '--json', '--out', out];
  const child = spawn(process.execPath, [join(repositoryFolder, 'dist', 'cli', 'main.js'), ...words, ...options], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  let signalledMs = Infinity;
  const clock = setTimeout(() => {
    signalledMs = performance.now();
    child.kill('SIGTERM');
  }, afterMs);
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.on('close', (...ended) => {
      resolve(ended);
    });
  });
  clearTimeout(clock);
  return {
    lateMs: performance.now() - signalledMs,
    problem: await problemOf(code, signal, text, out),
  };
}

async function problemOf(
  code: number | null,
  signal: NodeJS.Signals | null,
  text: string,
  out: string,
): Promise<string | null> {
  if (signal === 'SIGTERM') return existsSync(out) ? 'killed, and yet there are tables' : null;
  // it came to a proof before the signal, or as it came
  if (code === 0) return existsSync(out) ? null : 'no tables';
  if (code !== 143) return `ended with ${code}, ${signal}`;
  const report = JSON.parse(text) as { interrupted: boolean; validity: { valid: boolean } };
  if (!report.interrupted) return 'does not say that it was interrupted';
  if (!report.validity.valid) return 'tables that do not lead everywhere';
  return (await readFile(out, 'utf8')).startsWith('Unicast lids') ? null : 'no tables';
}

// `npm run plans`: what `weft plan` finds beside every plan of small spaces on fluid, and published configurations beside
// the best plan for their model, batch and GPUs; writes the sums of docs/models/plan.md.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Option } from 'commander';
import { writeWhole } from '../data-file.js';
import { programCommand, wholeNumber } from '../program-command.js';
import { repositoryFolder } from '../repository.js';
import { bruteForce, finalists } from './brute-force.js';
import { published } from './published.js';

const page = path.join(repositoryFolder, 'docs/models/plan.md');

const { only, seed, spaces, rows } = programCommand('plans', import.meta.url)
  .addOption(new Option('--only <part>', 'one part; the other stays as it is').choices(['spaces', 'published']))
  .option('--seed <number>', 'of drawn spaces', wholeNumber, 1)
  .option('--spaces <count>', 'how many are drawn', wholeNumber, 20)
  .option('--rows <text>', 'published rows with this text in their name or source', '')
  .parse()
  .opts<{ only?: string; seed: number; spaces: number; rows: string }>();

/** Writes a part of the page. @param name of its marks there */
function write(name: string, lines: readonly string[]): void {
  const [begin, end] = [`<!-- ${name}: begin (written by \`npm run plans\`) -->`, `<!-- ${name}: end -->`];
  const text = readFileSync(page, 'utf8');
  const from = text.indexOf(begin) + begin.length;
  writeWhole(page, `${text.slice(0, from)}\n\n${lines.join('\n')}\n\n${text.slice(text.indexOf(end))}`);
  process.stdout.write(`\r${lines.join('\n')}\n`);
}

if (only !== 'published')
  write('spaces', [
    `What is found beside every plan on fluid (\`--fluid ${finalists}\`; drawn spaces, seed ${seed}):`,
    '',
    ...(await bruteForce(seed, spaces)),
  ]);
if (only !== 'spaces') write('published', await published(rows));

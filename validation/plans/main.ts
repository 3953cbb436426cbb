// `npm run plans`: what `weft plan` finds beside every plan of small spaces on fluid, and published configurations beside
// the best plan for their model, batch and GPUs; writes the sums of docs/models/plan.md. `--rows TEXT` measures
// published rows with TEXT in their name or source alone; `--only spaces` or `--only published` leaves the other part as it is.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { writeWhole } from '../data-file.js';
import { repositoryFolder } from '../repository.js';
import { bruteForce, finalists } from './brute-force.js';
import { published } from './published.js';

const page = path.join(repositoryFolder, 'docs/models/plan.md');

function optionOf(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

/** Writes a part of the page. @param name of its marks there */
function write(name: string, lines: readonly string[]): void {
  const [begin, end] = [`<!-- ${name}: begin (written by \`npm run plans\`) -->`, `<!-- ${name}: end -->`];
  const text = readFileSync(page, 'utf8');
  const from = text.indexOf(begin) + begin.length;
  writeWhole(page, `${text.slice(0, from)}\n\n${lines.join('\n')}\n\n${text.slice(text.indexOf(end))}`);
  process.stdout.write(`\r${lines.join('\n')}\n`);
}

const only = optionOf('--only');
const seed = Number(optionOf('--seed') ?? 1);
if (only !== 'published')
  write('spaces', [
    `What is found beside every plan on fluid (\`--fluid ${finalists}\`; drawn spaces, seed ${seed}):`,
    '',
    ...(await bruteForce(seed, Number(optionOf('--spaces') ?? 20))),
  ]);
if (only !== 'spaces') write('published', await published(optionOf('--rows') ?? ''));

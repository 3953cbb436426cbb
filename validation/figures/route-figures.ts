// Static routes on quartz1, by the commands that the pages name: the blocks and the picture of examples/route-quartz1,
// and the search of docs/models/static-routes.md. Searches end by themselves, so that only CPU times depend on the
// machine.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathOf, writeBlock, writeFile } from './pages.js';

const example = 'examples/route-quartz1';
/** more than any of these searches takes */
const patience = ['--time', '10min'];

/** Runs the commands and draws. */
export function drawRoutes(): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-figures-'));
  const weft = (...words: string[]): string => {
    process.stderr.write(`weft ${words.join(' ')} …\n`);
    return execFileSync(process.execPath, [pathOf('dist/cli/main.js'), ...words], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  };
  try {
    const quartz1 = ['--fabric', 'quartz1', '--traffic', 'lulesh'];
    const compared = weft('route', 'compare', ...quartz1, ...patience, '--figure', 'loads.svg');
    const computed = weft('route', 'compute', ...quartz1, ...patience, '--algorithm', 'weft', '--out', 'new.lfts');
    writeBlock(`${example}/README.md`, 'compare', fenced(compared));
    writeBlock(`${example}/README.md`, 'compute', fenced(computed));
    writeFile(`${example}/loads.svg`, readFileSync(path.join(folder, 'loads.svg'), 'utf8'));
    weft(
      'route',
      'compute',
      '--fabric',
      'quartz1',
      '--traffic',
      'multigrid-c-star',
      ...patience,
      '--algorithm',
      'weft',
      '--trace-figure',
      'search.svg',
    );
    writeFile('docs/figures/route-search.svg', readFileSync(path.join(folder, 'search.svg'), 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function fenced(text: string): string {
  return `\n\`\`\`text\n${text.trim()}\n\`\`\`\n\n`;
}

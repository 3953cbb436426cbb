// A folder in which a reader of a page stands: a copy of the clone with its build, in which commands run as a shell runs
// them. Setting up, the first half of `npm start`, is left out: it would need the network.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { writeNpx } from './npx-weft.js';

/** The repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** What `npm start` runs after set-up. */
export const demo = 'node dist/cli/main.js demo';

/** What runs of the build: no declarations, no benchmarks. */
function isNeeded(path: string): boolean {
  return !/\.(?:map|d\.ts|tsbuildinfo)$|dist\/(?:bench|validation)$/.test(path);
}

/** What a command came to. */
export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A clone that is there while the tests of a file run. */
export class PageClone {
  folder = '';

  /** @param withNpm whether `npx` is npm's own, which takes as long to find the program as the program to start */
  constructor(private readonly withNpm: boolean) {
    beforeAll(() => {
      this.folder = mkdtempSync(join(tmpdir(), 'weft-page-'));
      for (const name of ['dist', 'examples', 'package.json'])
        cpSync(join(root, name), join(this.folder, name), { recursive: true, filter: isNeeded });
      symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
      writeNpx(this.programs, join(this.folder, 'dist/cli/main.js'));
    });
    afterAll(() => {
      for (const folder of [this.folder, this.programs]) rmSync(folder, { recursive: true, force: true });
    });
  }

  private get programs(): string {
    return `${this.folder}-programs`;
  }

  /** Runs a command of a page. */
  run(command: string): Ran {
    // searches end when they find nothing better; on a machine that does much else their time would be over before
    const patient = /^npx weft route (?:compute|compare) /.test(command) ? `${command} --time 1h` : command;
    const { PATH = '', ...others } = process.env;
    return spawnSync(command === 'npm start' ? demo : patient, {
      shell: true,
      cwd: this.folder,
      encoding: 'utf8',
      env: {
        ...others,
        PATH: this.withNpm ? PATH : `${this.programs}:${PATH}`,
        LANG: 'C.UTF-8',
        npm_config_offline: 'true',
        npm_config_loglevel: 'error',
      },
      maxBuffer: 1e9,
    });
  }
}

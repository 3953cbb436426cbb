// A Python that has pandas, pyarrow and DuckDB, for tests that read tables with them: where there is none they are skipped and the
// run says so once (`setup`, vitest.config.ts); .ci/run installs them.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const own = fileURLToPath(new URL('../../.weft/python/bin/python', import.meta.url));
let found: string | null | undefined;

/** Where it is; null if there is none. */
export function pandasPython(): string | null {
  found ??= [own, 'python3'].find(hasPackages) ?? null;
  return found;
}

/** Looks for the packages without loading them, which would take a second at the start of every run of tests. */
const finds = `import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, ("pandas", "pyarrow", "duckdb"))))`;

function hasPackages(python: string): boolean {
  if (python === own && !existsSync(own)) return false;
  return spawnSync(python, ['-c', finds], { stdio: 'ignore' }).status === 0;
}

/** Called by vitest once per run, before any test. */
export function setup(): void {
  if (pandasPython() === null)
    process.stdout.write(
      'not installed: pandas, pyarrow, duckdb for Python; tests that read tables with them are skipped (.ci/install-pandas)\n',
    );
}

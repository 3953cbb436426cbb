// The guide for operators (docs/infiniband.md) as a script: its commands, in order, on a fabric that ibsim serves.
// Invariants: commands stand as on the page, but for the fabric and its host, and for how one waits; nothing of
// what it starts outlives it.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join, resolve } from 'node:path';
import { writeNpx } from './npx-weft.js';

const root = resolve(import.meta.dirname, '../..');

/** A walk through the guide. */
export interface GuideRun {
  readonly folder: string;
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** commands that ended with another code than 0: `code command` */
  readonly failed: readonly string[];
  /** what the commands of a section printed, by the beginning of its title */
  section(title: string): string;
  /** the text of a file of the folder */
  file(name: string): string;
  remove(): void;
}

/** The indented blocks of each section of the page, in order. */
export function commandsBySection(): Map<string, string> {
  const sections = new Map<string, string>();
  for (const section of readFileSync(join(root, 'docs/infiniband.md'), 'utf8').split(/^## /m).slice(1)) {
    const newline = section.indexOf('\n');
    const code = section
      .slice(newline)
      .split('\n')
      .filter((line) => /^ {4}/.test(line));
    sections.set(section.slice(0, newline), code.map((line) => line.trim()).join('\n'));
  }
  return sections;
}

/** On a busy machine ibqueryerrors sometimes prints nothing of what ibsim serves, not even its summary: asked again. */
const patientTool = `#!/bin/sh
tool=$(PATH=/usr/sbin:/usr/local/sbin:/usr/bin command -v ibqueryerrors)
for _ in 1 2 3 4 5; do
  printed=$("$tool" "$@")
  [ -n "$printed" ] && break
  sleep 0.5
done
printf '%s\\n' "$printed"
`;

/**
 * Carries the whole page out. After section i the tables of all switches stand in the file `after-i`.
 * @param served net file of ibsim
 * @param at host of it where OpenSM and the tools run: `H-0002c90000100000`
 */
export async function runGuide(served: string, at: string): Promise<GuideRun> {
  const folder = mkdtempSync(join(tmpdir(), 'weft-guide-'));
  const sections = commandsBySection();
  const [before, after] = sections.get('Without hardware')!.split(/^(?=kill \$OPENSM$)/m);
  writeNpx(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'ibqueryerrors'), patientTool, { mode: 0o755 });
  writeFileSync(join(folder, 'own.net'), served);
  const script = [
    'set -o pipefail',
    // should the script end early, nothing stays behind
    `trap 'kill -9 $OPENSM $SIMULATOR 2>/dev/null' EXIT`,
    `trap 'echo "$? $BASH_COMMAND" >> failed' ERR`,
    // as long as it takes instead of four seconds: OpenSM logs the end of every sweep
    'UPS=0',
    `ups() { cat $LOG 2>/dev/null | grep -c 'SUBNET UP' || true; }`,
    'settle() { local n=0; while [ $(ups) -le $UPS ] && [ $((n += 1)) -lt 400 ]; do sleep 0.2; done; UPS=$(ups); }',
    // `wait` ends with what OpenSM ended with
    before!
      .replaceAll('sleep 4; }', 'settle; }')
      .replace(/(--out served\.net)$/m, '$1\ncp own.net served.net')
      .replace(/SIM_HOST=\S+/, `SIM_HOST=${at}`)
      .replace('wait $OPENSM;', 'wait $OPENSM || true;'),
    ...[...sections]
      .slice(1, -1)
      .flatMap(([title, commands], i) => [
        `echo '== ${title}'`,
        commands.replace('sleep 60 ', 'sleep 1 '),
        `dump_fts > 'after-${i + 1}'`,
      ]),
    after!.replace('wait $OPENSM', 'wait $OPENSM || true'),
    'trap - EXIT',
    `echo '== the end'`,
  ].join('\n');
  writeFileSync(join(folder, 'guide.sh'), script);
  writeFileSync(join(folder, 'failed'), '');
  const { LD_PRELOAD: _, ...inherited } = process.env;
  const path = [join(folder, 'bin'), process.env['PATH'], '/usr/sbin'].join(delimiter);
  const { status, stdout, stderr } = await new Promise<Pick<GuideRun, 'status' | 'stdout' | 'stderr'>>((resolved) => {
    const child = execFile(
      'timeout',
      ['300', 'bash', 'guide.sh'],
      {
        cwd: folder,
        env: { ...inherited, PATH: path, IBSIM_SOCKNAME: basename(folder) },
        timeout: 320_000,
        maxBuffer: 2 ** 28,
      },
      (_error, out, err) => {
        resolved({ status: child.exitCode, stdout: out, stderr: err });
      },
    );
  });
  const file = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return {
    folder,
    status,
    stdout,
    stderr,
    failed: file('failed').split('\n').slice(0, -1),
    section: (title) => stdout.split('== ').find((text) => text.startsWith(title)) ?? '',
    file,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// Checks that the other supported Node versions compute the same records as this one: the digests of example runs must
// be equal. The other runtimes come as npm packages (the ones that the package `node` resolves to, taken directly
// because it needs an install script) and are kept in .weft/runtimes. Where one cannot be had, a line says so and the
// check of that version is skipped.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const supportedMajors = [20, 22, 24];
// the incast draws random numbers (ECN) and pauses; the others do not
const scenarios = [
  'examples/server-pair/no-controller.yaml',
  'examples/server-pair/controller.yaml',
  'examples/incast/incast.yaml',
];

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const thisMajor = Number(process.versions.node.split('.')[0]);
const expected = scenarios.map((scenario) => digestUnder(process.execPath, scenario));
report(process.versions.node, expected.map((digest, i) => `${scenarios[i]} ${digest}`).join('\n                  '));

let differing = 0;
for (const major of supportedMajors.filter((candidate) => candidate !== thisMajor)) {
  const runtime = runtimeOf(major);
  if (runtime.reason !== undefined) {
    report(`${major}`, `skipped: ${runtime.reason}`);
    continue;
  }
  const wrong = scenarios.filter((scenario, i) => digestUnder(runtime.path, scenario) !== expected[i]);
  report(runtime.version, wrong.length === 0 ? 'the same digests' : `OTHER DIGESTS: ${wrong.join(', ')}`);
  differing += wrong.length;
}
process.exitCode = differing === 0 ? 0 : 1;

/** The digest of the records that a scenario produces under a Node executable; ends the check if the run fails. */
function digestUnder(node, scenario) {
  const run = spawnSync(node, ['dist/cli/main.js', 'run', scenario, '--json'], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (run.status !== 0)
    giveUp(
      `${node} dist/cli/main.js run ${scenario} --json ended with ${run.status ?? run.signal ?? run.error}`,
      run.stderr ?? '',
    );
  let digest;
  try {
    digest = JSON.parse(run.stdout).digest;
  } catch {
    giveUp(`${scenario}: the output of run --json is not one JSON object`, run.stdout);
  }
  if (typeof digest !== 'string' || digest === '')
    giveUp(`${scenario}: no digest in the output of run --json`, run.stdout);
  return digest;
}

/**
 * @returns {{ path?: string, version?: string, reason?: string }} an executable of that major version, or why there is
 * none
 */
function runtimeOf(major) {
  const folder = join('.weft', 'runtimes', String(major));
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `${system === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${system}-${process.arch}`;
  const home = join(folder, 'node_modules', name);
  const before = usable(home);
  if (before !== null) return before;

  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const install = npm(
    ['install', '--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${major}`],
    folder,
  );
  const after = usable(home);
  if (after !== null) return after;
  const cause =
    /npm (?:error|ERR!)(?: code)? ([^\n]+)/.exec(install.stderr ?? '')?.[1] ??
    install.error?.message ??
    'it does not start on this system';
  return { reason: `no Node ${major} from the npm package ${name}@${major} (${cause})` };
}

function usable(home) {
  const manifest = join(home, 'package.json');
  if (!existsSync(manifest)) return null;
  const path = join(home, JSON.parse(readFileSync(manifest, 'utf8')).bin.node);
  const asked = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return asked.status === 0 ? { path, version: asked.stdout.trim().slice(1) } : null;
}

function npm(args, cwd) {
  const caller = process.env.npm_execpath ?? '';
  // Without network this should say so soon.
  const env = { ...process.env, npm_config_fetch_retries: '1', npm_config_fetch_retry_mintimeout: '2000' };
  const settings = { cwd, encoding: 'utf8', maxBuffer: 1 << 26, env };
  if (/npm-cli\.c?js$/.test(caller)) return spawnSync(process.execPath, [caller, ...args], settings);
  return spawnSync('npm', args, { ...settings, shell: process.platform === 'win32' });
}

function report(version, text) {
  process.stdout.write(`Node ${version.padEnd(10)} : ${text}\n`);
}

function giveUp(message, detail) {
  process.stderr.write(`${message}\n${detail}\n`);
  process.exit(1);
}

// Sets up a clone: installs the packages that package-lock.json names and builds dist/, each only when it is needed.
// Invariant: a stamp in .weft/ is written only after its step succeeded, and covers what went in and what the step noted
// of what came out, so an interrupted step, a removed folder or another run of npm is seen. Loads node:* alone: it runs
// before anything is installed. Speaks on stderr, so that the output of the command it precedes
// stays clean.
//
//   node setup.mjs [--quiet] what `npm start`, `npm test`, `npm run check`, `npm run validate` and `npm run bench` do
//   first
//   node setup.mjs --build [--quiet]    `npm run build`: always builds, checks types and writes declarations; leaves
//   installed packages as they are

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesUnder, sources } from './transpile.mjs';

const oldestNode = [20, 19];
const compiler = 'node_modules/typescript/bin/tsc';
const program = 'dist/cli/main.js';
const transpiler = 'transpile.mjs';
const bundler = 'bundle.mjs';
/** says of which sources dist is; bundle.mjs and src/cli/main.ts read it */
const note = 'dist/build';
const bundleFolder = 'dist/program/';
const lock = '.weft/setup.lock';
const lockPatienceMs = 10 * 60_000;

const options = process.argv.slice(2);
const quiet = options.includes('--quiet');
const buildOnly = options.includes('--build');

/** What runs for us now, to be ended with us. */
let child = null;

checkNode();
process.chdir(dirname(fileURLToPath(import.meta.url)));
const unknown = options.find((option) => option !== '--quiet' && option !== '--build');
if (unknown !== undefined) stop(`unknown option ${unknown}; known are --build and --quiet.`);
mkdirSync('.weft', { recursive: true });
if (buildOnly || !isInstalled() || !isBuilt()) {
  takeLock();
  // Looked at again: another set-up may have done it while this one waited.
  if (buildOnly ? !existsSync(compiler) : !isInstalled()) await install();
  if (buildOnly || !isBuilt()) await build();
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  stop(`this is Node ${process.versions.node}; Weft needs Node ${oldestNode.join('.')} or newer (22 and 24 are fine).
  Install a newer one from https://nodejs.org or with your version manager, for example: nvm install 22`);
}

// ---- packages ----

/** What node_modules depends on, and what npm wrote down about it: any later npm command that changes it is noticed. */
function installStamp() {
  return digest([
    `${process.versions.modules} ${process.platform} ${process.arch}`,
    ...contents(['package-lock.json', 'node_modules/.package-lock.json']),
  ]);
}

function isInstalled() {
  return existsSync(compiler) && readOr('.weft/installed', '') === installStamp();
}

async function install() {
  await step('installing packages (about 10 s, once)', async () => {
    // --include=dev: with NODE_ENV=production npm would leave out the compiler. --prefer-offline: the lock file pins
    // contents anyway. Retries come soon: npm's own waits make a machine without network take more than a minute to say
    // so.
    const { status, output } = await runNpm([
      'ci',
      '--include=dev',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      '--fetch-retry-mintimeout=2000',
      '--fetch-retry-maxtimeout=5000',
    ]);
    if (status === 0) return;
    if (
      /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENOTCACHED/.test(
        output,
      )
    ) {
      stop(`packages could not be downloaded: the package registry cannot be reached from this machine.
  Weft needs the network once. Connect (behind a proxy: npm config set https-proxy URL) and give the same command again,
  or bring a node_modules folder made on a machine with the same system, Node version and package-lock.json, then: npm run build

${output.split('\n').slice(0, 4).join('\n')}`);
    }
    if (output.includes('EBADENGINE'))
      stop(
        `a package does not support Node ${process.versions.node}. Known to work: 20.19+, 22.12+, 24+.\n\n${output}`,
      );
    // What follows the cut is npm's list of options.
    stop(`npm ci failed:\n\n${output.split('npm error Clean install a project')[0]}`);
  });
  writeFileSync('.weft/installed', installStamp());
}

/** Runs the npm that started us if one did, so that its version and settings apply; otherwise the one on the PATH. */
function runNpm(args) {
  const caller = process.env.npm_execpath || '';
  if (/npm-cli\.c?js$/.test(caller)) return run(process.execPath, [caller, ...args]);
  return run('npm', args, { shell: process.platform === 'win32' });
}

// ---- build ----

/** What dist depends on. */
function sourceStamp() {
  const settings = ['package.json', 'package-lock.json', transpiler, bundler, 'web/app/style.css'];
  const inputs = [...settings, ...sources().keys()];
  return digest([inputs.join('\n'), ...contents(inputs)]);
}

function isBuilt() {
  const stamp = sourceStamp();
  return (
    allPresent(sources()) &&
    readOr(`${bundleFolder}build`, '') === stamp &&
    readOr(note, '') === stamp &&
    readOr('.weft/built', '') === stamp
  );
}

function allPresent(outputs) {
  return [...outputs.values()].every((output) => existsSync(`${output}.js`));
}

async function build() {
  const before = sourceStamp();
  const what = buildOnly ? 'building dist and checking types (about 30 s)' : 'building dist (about 3 s)';
  await step(what, async () => {
    rmSync(note, { force: true });
    const { status, output } = await run(process.execPath, [transpiler]);
    if (status !== 0) stop(`the build failed:\n\n${output}`);
    removeStaleOutputs();
    writeFileSync(note, before);
    const bundled = await run(process.execPath, [bundler]);
    if (bundled.status !== 0) stop(`the program could not be put into a bundle:\n\n${bundled.output}`);
    if (existsSync(program)) chmodSync(program, 0o755);
    if (buildOnly) await checkTypes();
  });
  writeFileSync('.weft/built', before);
}

/** Checks types, and writes the declarations that a package has. */
async function checkTypes() {
  // tsc looks at its own notes, not at what is there
  const declarations = [...sources()]
    .filter(([source]) => source.startsWith('src/'))
    .map(([, output]) => `${output}.d.ts`);
  if (!declarations.every((path) => existsSync(path)))
    for (const path of filesUnder('dist').filter((name) => name.endsWith('.tsbuildinfo'))) rmSync(path);
  const pretty = process.stderr.isTTY ? ['--pretty'] : [];
  const { status, output } = await run(process.execPath, [compiler, '-b', 'src/tsconfig.node.json', 'web', ...pretty]);
  if (status !== 0) stop(`types do not fit:\n\n${output}`);
}

/** Removes the compiled files whose source is gone, and folders that this empties. */
function removeStaleOutputs() {
  const wanted = new Set(sources().values());
  for (const path of filesUnder('dist')) {
    const output = path.replace(/(\.js|\.js\.map|\.d\.ts|\.d\.ts\.map)$/, '');
    if (output === path || wanted.has(output) || path.startsWith(bundleFolder)) continue;
    rmSync(path);
    for (let folder = dirname(path); folder !== 'dist' && readdirSync(folder).length === 0; folder = dirname(folder))
      rmdirSync(folder);
  }
}

// ---- one set-up at a time ----

/**
 * Waits until no other set-up works in this clone. The lock of processes that are gone is taken over; ours goes when we
 * end.
 */
function takeLock() {
  const deadline = Date.now() + lockPatienceMs;
  for (let waited = false; ; waited = true) {
    try {
      writeFileSync(lock, lockText(), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const theirs = readOr(lock, '');
    if (isAbandoned(theirs)) {
      removeLock(theirs);
      continue;
    }
    const holder = theirs.split(' ')[1];
    if (!waited) say(`waiting for the set-up that process ${holder} is doing here\n`);
    if (Date.now() > deadline)
      stop(
        `process ${holder} has held ${lock} for ${lockPatienceMs / 60_000} minutes. If it is not a set-up of Weft, remove that file.`,
      );
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
  process.on('exit', () => {
    if (readOr(lock, '').startsWith(lockText())) rmSync(lock, { force: true });
  });
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ]) {
    process.on(signal, () => {
      if (child === null) process.exit(code);
      child.once('close', () => process.exit(code));
      child.kill('SIGTERM');
    });
  }
}

/** Machine, process and, while one runs, its child: npm may outlive a killed set-up for a while. */
function lockText(...children) {
  return [hostname(), process.pid, ...children, ''].join(' ');
}

function isAbandoned(text) {
  const [host, ...pids] = text.trim().split(' ');
  // Just created and not yet written, or of another machine: only age tells.
  if (host !== hostname()) return ageMs(lock) > (host === '' ? 5_000 : lockPatienceMs);
  return pids.every((pid) => {
    try {
      process.kill(Number(pid), 0);
      return false;
    } catch (error) {
      return error.code === 'ESRCH';
    }
  });
}

/**
 * Runs a program under our lock.
 * @returns {Promise<{ status: number, output: string }>} its exit code and all that it printed
 */
function run(command, args, settings = {}) {
  return new Promise((resolve) => {
    child = spawn(command, args, { ...settings, stdio: ['ignore', 'pipe', 'pipe'] });
    if (child.pid !== undefined) writeFileSync(lock, lockText(child.pid));
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', (error) =>
      stop(`cannot run ${command} (${error.message}). It comes with Node; is it on the PATH?`),
    );
    child.on('close', (status) => {
      child = null;
      resolve({ status: status === null ? 1 : status, output: output.trim() });
    });
  });
}

/** Moves the lock aside, and puts it back if in the meantime it became somebody else's. */
function removeLock(expected) {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
    if (readFileSync(aside, 'utf8') !== expected) linkSync(aside, lock);
    rmSync(aside);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  }
}

function ageMs(path) {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

// ---- small things ----

function contents(paths) {
  return paths.map((path) => readOr(path, 'missing'));
}

function readOr(path, otherwise) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return otherwise;
    throw error;
  }
}

function digest(texts) {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text.length}:`).update(text);
  return hash.digest('hex');
}

/** Does one thing and says so on one line, with the time it took. */
async function step(what, action) {
  const startMs = Date.now();
  say(`${what} ... `);
  await action();
  if (!quiet) process.stderr.write(`${((Date.now() - startMs) / 1000).toFixed(1)} s\n`);
}

function say(text) {
  if (!quiet) process.stderr.write(`weft: ${text}`);
}

function stop(message) {
  process.stderr.write(`\nweft: ${message}\n`);
  process.exit(1);
}

// `npm run page-speed`: how long the application's page works for a frame while time is scrubbed, on 12,288 links and 4,096
// moments, and how long it takes to open a run of a million flows on 10,240 links, in headless Chromium without a graphics
// card; writes the table of docs/site.md. Chromium must be installed, and memory of processes is known on Linux alone.
// Invariant: the load of the machine stands beside the figures. A busy one makes wall-clock times worse.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { chromium, type Browser, type Page } from 'playwright-core';
import { chromiumPath } from '../chromium-path.js';
import { writeWhole } from '../data-file.js';
import { programCommand, wholeNumber } from '../program-command.js';
import { repositoryFolder } from '../repository.js';
import { scrub } from './frame-work.js';

const page = path.join(repositoryFolder, 'docs/site.md');
const program = path.join(repositoryFolder, 'dist/cli/main.js');
const usual = { frames: 600, flows: 1_000_000 };

const { frames, flows, run } = programCommand('page-speed', import.meta.url)
  .option('--frames <count>', 'steps in time that are measured', wholeNumber, usual.frames)
  .option('--flows <count>', 'of the run that is opened', wholeNumber, usual.flows)
  .option('--run <folder>', 'a run to open instead; the page of the documents stays as it is')
  .parse()
  .opts<{ frames: number; flows: number; run?: string }>();

/** 12,288 directed links: 64 leaves, 48 spines, 48 hosts a leaf, each of which sends to another leaf. */
function scrubbedScenario(): string {
  const hosts = 3072;
  const transfers = Array.from({ length: hosts }, (_, source) => {
    const destination = (source + 48 * (1 + (source % 47))) % hosts;
    return `    - { source: ${source}, destination: ${destination}, size: ${1 + (source % 7)}MB, start: ${source % 40}us }`;
  });
  return `backend: fluid
fabric: { generate: leaf-spine, leaves: 64, spines: 48, hostsPerLeaf: 48, hostRate: 100Gbps, spineRate: 100Gbps }
traffic:
  transfers:
${transfers.join('\n')}
`;
}

/** Runs what will be opened: small flows on 10,240 directed links. @returns its folder */
async function manyFlows(folder: string): Promise<string> {
  const trace = createWriteStream(path.join(folder, 'trace.csv'));
  trace.write('timestamp_ns,src,dst,size_bytes\n');
  for (let i = 0; i < flows; i++) {
    const source = (i * 7919) % 2560;
    if (!trace.write(`${2 * i},${source},${(source + 1 + ((i * 104_729) % 2559)) % 2560},4000\n`))
      await once(trace, 'drain');
  }
  trace.end();
  await once(trace, 'close');
  const scenario = path.join(folder, 'scenario.yaml');
  writeFileSync(
    scenario,
    'fabric: { generate: leaf-spine, leaves: 64, spines: 40, hostsPerLeaf: 40, hostRate: 100Gbps, spineRate: 100Gbps }\ntraffic: { trace: trace.csv }\n',
  );
  execFileSync(process.execPath, [program, 'run', scenario, '--out', path.join(folder, 'out'), '--quiet'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return path.join(folder, 'out');
}

/** Bytes that processes have held at most, of those whose command line says something; 0: not known. */
function peakBytes(words: RegExp): number {
  const peaks = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        if (!words.test(readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' '))) return 0;
        return 1024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))![1]);
      } catch {
        return 0;
      }
    });
  return Math.max(0, ...peaks);
}

async function served(...words: string[]): Promise<{ readonly url: string; readonly process: ChildProcess }> {
  const server = spawn(process.execPath, [program, 'ui', ...words, '--port', '0', '--print-url', '--no-open'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [url] = (await once(server.stdout, 'data')) as [Buffer];
  return { url: url.toString().trim(), process: server };
}

async function withPage<T>(words: readonly string[], use: (page: Page, browser: Browser, url: string) => Promise<T>) {
  const executablePath = chromiumPath();
  if (executablePath === null) throw new Error('there is no Chromium: .ci/install-chromium installs it');
  const args = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
  const { url, process: server } = await served(...words);
  const browser = await chromium.launch({ executablePath, args });
  try {
    return await use(await browser.newPage({ viewport: { width: 1280, height: 1000 } }), browser, url);
  } finally {
    await browser.close();
    server.kill('SIGINT');
  }
}

/** Lines of the table about frames. */
function scrubbed(): Promise<string[]> {
  return withPage([], async (shown, browser, url) => {
    await shown.goto(url);
    await shown.evaluate('window.weft.ready');
    await shown.evaluate(`window.weft.run(${JSON.stringify(scrubbedScenario())}).then(() => null)`);
    const { workMs, uploads } = await scrub(shown, await browser.newBrowserCDPSession(), frames);
    const ordered = [...workMs].sort((a, b) => a - b);
    const at = (share: number): string => ordered[Math.ceil(share * frames) - 1]!.toFixed(1);
    return [
      `| work of the main thread for a frame, ms: median, 99 %, most of ${frames} | ${at(0.5)}, ${at(0.99)}, ${at(1)} |`,
      `| textures and buffers sent meanwhile | ${uploads} |`,
    ];
  });
}

/** Lines of the table about a run that is opened. */
function opened(folder: string): Promise<string[]> {
  return withPage([folder], async (shown, _browser, url) => {
    let processBytes = 0;
    const watch = setInterval(() => (processBytes = Math.max(processBytes, peakBytes(/worker-entry/))), 200);
    const begin = performance.now();
    await shown.goto(url);
    await shown.waitForSelector('[data-testid=verdict]', { timeout: 300_000 });
    const seconds = (performance.now() - begin) / 1000;
    clearInterval(watch);
    const megabytes = [processBytes, peakBytes(/--type=renderer/)].map((bytes) => Math.round(bytes / 1e6));
    return [
      `| opening, s, from the click to the verdict | ${seconds.toFixed(1)} |`,
      `| memory of the process that reads, and of the tab, MB | ${megabytes.join(', ')} |`,
    ];
  });
}

const work = mkdtempSync(path.join(tmpdir(), 'weft-page-speed-'));
try {
  const load = loadavg()[0]!.toFixed(1);
  process.stderr.write('scrubbing\n');
  const first = await scrubbed();
  process.stderr.write('a run to open\n');
  const folder = run ?? (await manyFlows(work));
  const lines = [
    `| load of the two-core machine before: ${load} | |`,
    '|---|---|',
    ...first,
    ...(await opened(folder)),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  if (run === undefined && flows === usual.flows && frames === usual.frames) {
    const [begin, end] = ['<!-- page-speed: begin (written by `npm run page-speed`) -->', '<!-- page-speed: end -->'];
    const text = readFileSync(page, 'utf8');
    const from = text.indexOf(begin) + begin.length;
    writeWhole(page, `${text.slice(0, from)}\n\n${lines.join('\n')}\n\n${text.slice(text.indexOf(end))}`);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

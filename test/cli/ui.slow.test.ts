// `weft ui` as a program: its link, what it refuses to whom, what it reads and what it does not, and that it goes on whatever
// it is sent; then its page in Chromium, with the digests of the command line. What needs a browser is skipped, and said,
// where Chromium is missing.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOfBytes } from '../../src/app/view/run-bytes.js';
import { chromiumPath } from '../support/chromium.js';

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const scenario = `seed: 3
fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4 }
traffic: { trace: flows.csv }
`;
const trace = 'timestamp_ns,src,dst,size_bytes\n0,0,4,1048576\n0,1,4,1048576\n';
let home = '';
let ui: RunningUi;

/** A `weft ui` that listens. */
interface RunningUi {
  readonly child: ChildProcess;
  readonly port: number;
  readonly url: string;
  readonly token: string;
  /** all that it printed so far */
  readonly stdout: () => string;
  readonly ended: Promise<number | null>;
}

function weft(...words: string[]): string {
  return execFileSync(process.execPath, [program, ...words], { cwd: home, encoding: 'utf8', stdio: 'pipe' });
}

async function begun(...words: string[]): Promise<RunningUi> {
  const child = spawn(process.execPath, [program, 'ui', ...words, '--port', '0', '--print-url', '--no-open'], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.includes('\n')) resolve(stdout.trim());
    });
    void ended.then(() => reject(new Error(`weft ui ended: ${stderr}`)));
  });
  const { port, hash } = new URL(url);
  return { child, port: Number(port), url, token: hash.replace('#token=', ''), stdout: () => stdout, ended };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Asked {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
  readonly agent?: Agent;
}

function ask(path: string, { method = 'GET', headers = {}, body, agent }: Asked = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: ui.port,
      path,
      method,
      headers,
      ...(agent === undefined ? {} : { agent }),
    };
    const sent = request(options, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(pieces) }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** By who knows the token. */
function told(what: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${ui.token}` };
  if (body === undefined) return ask(`/api/${what}`, { headers });
  return ask(`/api/${what}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

interface Line {
  readonly number?: number;
  readonly refusal?: { readonly text: string; readonly diagnostics: readonly { readonly message: string }[] };
  readonly bytes?: number;
  readonly forecast?: { readonly hosts: number };
}

/** The lines of an answer, and what is behind them. */
function linesOf({ body }: Answer): { lines: Line[]; rest: Buffer } {
  const lines: Line[] = [];
  let rest = body;
  while (rest.length > 0 && lines.at(-1)?.bytes === undefined) {
    const end = rest.indexOf(10);
    lines.push(JSON.parse(rest.subarray(0, end).toString()) as Line);
    rest = rest.subarray(end + 1);
  }
  return { lines, rest };
}

/** Why nothing is shown, in words. */
function refusalOf(answer: Answer): string {
  const refusal = linesOf(answer).lines.at(-1)?.refusal;
  return `${refusal?.text}${refusal?.diagnostics.map(({ message }) => message).join('; ')}`;
}

/** Places by the end of their path. */
async function placeOf(end: string): Promise<number> {
  const { places } = JSON.parse((await told('places')).body.toString()) as {
    places: { number: number; path: string }[];
  };
  return places.find(({ path }) => path.endsWith(end))!.number;
}

async function isAlive(): Promise<boolean> {
  return (await told('places')).status === 200;
}

/** The most memory that the server has had, in MB. */
function peakMegabytes(): number {
  const status = readFileSync(`/proc/${ui.child.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) / 1000;
}

const ran = (place: number | null, text: string, files = {}): Promise<Answer> => told('run', { place, text, files });

const long = `fabric: { generate: dumbbell }\ntraffic: { transfers: [{ source: 0, destination: 4, size: 250GB }] }\n`;

/** Begins a long run, until it tells how far it is. @returns its number, what it comes to, and how to go away */
async function longRun(): Promise<{ number: number; answer: Promise<Answer>; leave: () => void }> {
  const body = JSON.stringify({ place: null, text: long, files: {} });
  const headers = { authorization: `Bearer ${ui.token}` };
  const sent = request({ host: '127.0.0.1', port: ui.port, path: '/api/run', method: 'POST', headers });
  return new Promise((resolve, reject) => {
    sent.on('error', () => {});
    sent.on('response', (response) => {
      const pieces: Buffer[] = [];
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      response.on('error', () => {});
      const answer = new Promise<Answer>((end) =>
        response.on('end', () => end({ status: 200, headers: response.headers, body: Buffer.concat(pieces) })),
      );
      response.on('data', (piece: Buffer) => {
        pieces.push(piece);
        const begun = Buffer.concat(pieces).toString('latin1');
        if (!begun.includes('"progress"')) return;
        const { number } = JSON.parse(begun.split('\n')[0]!) as Line;
        resolve({ number: number!, answer, leave: () => sent.destroy() });
      });
    });
    sent.end(body);
  });
}

const children = (): string => readFileSync(`/proc/${ui.child.pid}/task/${ui.child.pid}/children`, 'utf8').trim();

/** Sends zeros without end. @returns what was answered, and how much was sent until the connection ended */
function flood(path: string, headers: string): Promise<{ answer: string; sentBytes: number }> {
  return new Promise((resolve) => {
    const socket = connect(ui.port, '127.0.0.1');
    const piece = Buffer.alloc(1 << 20, 'a');
    let answer = '';
    let sentBytes = 0;
    const send = (): void => {
      while (!socket.destroyed && sentBytes < 1e9) {
        sentBytes += piece.length;
        const framed = headers.includes('chunked')
          ? Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
          : piece;
        if (!socket.write(framed)) return;
      }
    };
    socket.on('drain', send).on('error', () => {});
    socket.on('data', (data) => (answer += data.toString()));
    socket.on('close', () => resolve({ answer, sentBytes }));
    socket.write(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${ui.port}\r\n${headers}\r\n\r\n`);
    send();
  });
}

const runsOf = (page: Page): Promise<string[]> => page.evaluate('window.weft.state().runs');

const digestIn = (folder: string): string =>
  (JSON.parse(readFileSync(join(home, folder, 'summary.json'), 'utf8')) as { digest: string }).digest;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'weft-ui-'));
  mkdirSync(join(home, 'named'));
  mkdirSync(join(home, 'secret'));
  writeFileSync(join(home, 'named/flows.csv'), trace);
  writeFileSync(join(home, 'named/own.yaml'), scenario);
  writeFileSync(join(home, 'secret/flows.csv'), `${trace}secret,words\n`);
  weft('run', 'named/own.yaml', '--out', 'named/first', '--quiet');
  weft('run', 'named/own.yaml', '--set', 'seed=4', '--out', 'secret/run', '--quiet');
  mkdirSync(join(home, 'named/runs'));
  cpSync(join(home, 'named/first'), join(home, 'named/runs/0'), { recursive: true });
  symlinkSync(join(home, 'secret/run'), join(home, 'named/led-out'));
  symlinkSync(join(home, 'secret/flows.csv'), join(home, 'named/led.csv'));
  ui = await begun('named', '--jobs', '2');
}, 60_000);
afterAll(async () => {
  ui?.child.kill('SIGKILL');
  await ui?.ended;
  rmSync(home, { recursive: true, force: true });
});

describe('the link', () => {
  it('is the only line, leads to this machine alone, and has a token of 256 bits that is another each time', async () => {
    expect(ui.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/);
    expect(ui.stdout()).toBe(`${ui.url}\n`);
    const other = await begun();
    expect(other.token).not.toBe(ui.token);
    other.child.kill('SIGINT');
    expect(await other.ended).toBe(130);
  });

  it.each([
    ['a place that is not there', ['no-such'], 2, /no-such: no such file/],
    ['a folder with nothing in it', ['empty'], 2, /nothing in it that weft ui could show/],
    ['a port that another has', ['--port', 'TAKEN'], 2, /another program has this port/],
  ])('%s is told', async (_, words, code, said) => {
    mkdirSync(join(home, 'empty'), { recursive: true });
    const given = words.map((word) => word.replace('TAKEN', String(ui.port)));
    const child = spawn(process.execPath, [program, 'ui', ...given, '--no-open'], { cwd: home, stdio: 'pipe' });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(code);
    expect(stderr).toMatch(said);
  });
});

const right = (): OutgoingHttpHeaders => ({ authorization: `Bearer ${ui.token}` });

describe('who asks', () => {
  it.each([
    ['another name, which leads here (rebinding)', '/', () => ({ host: `evil.example:${ui.port}` })],
    ['another name, with the token', '/api/places', () => ({ ...right(), host: `evil.example:${ui.port}` })],
    ['another port', '/', () => ({ host: '127.0.0.1:1' })],
    ['another origin', '/api/places', () => ({ ...right(), origin: 'http://evil.example' })],
    ['another port of this machine as origin', '/api/places', () => ({ ...right(), origin: 'http://127.0.0.1:1' })],
    ['no origin that can be told', '/', () => ({ origin: 'null' })],
    ['no token', '/api/places', () => ({})],
    ['another token', '/api/places', () => ({ authorization: `Bearer ${'A'.repeat(43)}` })],
    ['a part of the token', '/api/places', () => ({ authorization: `Bearer ${ui.token.slice(0, 42)}` })],
    ['the token in another form', '/api/places', () => ({ authorization: ui.token })],
  ])('by %s is refused', async (_, path, headers) => {
    const { status, body } = await ask(path, { headers: headers() });
    expect(status).toBe(403);
    expect(body.toString()).toMatch(/^(weft ui answers to|the token is missing or wrong)[^/]*\n$/);
  });

  it('by its own page is answered, by either name, without words for other origins', async () => {
    for (const name of ['127.0.0.1', 'localhost']) {
      const host = `${name}:${ui.port}`;
      const answer = await ask('/api/places', { headers: { ...right(), host, origin: `http://${host}` } });
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.headers).filter((key) => key.startsWith('access-control'))).toEqual([]);
    }
    const { headers, body } = await ask('/');
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    expect(headers['content-security-policy']).toMatch(
      /default-src 'none'.*connect-src 'self'.*frame-ancestors 'none'/,
    );
    expect(body.toString()).not.toContain(ui.token);
  });

  it('from another machine reaches nothing: it listens on the loopback interface', () => {
    const listening = readFileSync('/proc/net/tcp', 'utf8') + readFileSync('/proc/net/tcp6', 'utf8');
    const port = ui.port.toString(16).toUpperCase().padStart(4, '0');
    expect(listening.match(new RegExp(`\\w+:${port} 0+:0000 0A`, 'g'))).toEqual([`0100007F:${port} 00000000:0000 0A`]);
  });
});

describe('what is asked for', () => {
  it.each([
    '/../package.json',
    '/..%2f..%2fpackage.json',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/....//....//etc/passwd',
    '//etc/passwd',
    '/site/../index.html',
    '/main.js/../../program.js',
    '/constructor',
    '/__proto__',
    '/main.js%00.css',
  ])('%s is no file', async (path) => {
    const { status, body } = await ask(path);
    expect({ status, body: body.toString() }).toEqual({ status: 404, body: 'there is no such file\n' });
  });

  it.each([
    [{ place: '../secret/run' }, 404],
    [{ place: 99 }, 404],
    [{ place: -1 }, 404],
    [{ place: 0.5 }, 404],
    [{ place: '__proto__' }, 404],
    [{}, 404],
  ])('%j is no place', async (body, status) => {
    expect((await told('open', body)).status).toBe(status);
    expect((await told('text', body)).status).toBe(status);
  });

  it('is what was named, by number: runs of a folder and of its runs/, and scenarios', async () => {
    const { places } = JSON.parse((await told('places')).body.toString()) as { places: object[] };
    expect(places).toEqual([
      { number: 0, kind: 'run', path: 'named/first' },
      { number: 1, kind: 'run', path: 'named/led-out' },
      { number: 2, kind: 'run', path: 'named/runs/0' },
      { number: 3, kind: 'scenario', path: 'named/own.yaml' },
    ]);
    expect(JSON.parse((await told('text', { place: 3 })).body.toString())).toEqual({ text: scenario });
  });
});

describe('a run of the disk', () => {
  it('is what the command line had', async () => {
    const { lines, rest } = linesOf(await told('open', { place: await placeOf('first') }));
    expect(rest).toHaveLength(lines.at(-1)!.bytes!);
    const { digest, json, view } = runOfBytes(rest);
    const summary = JSON.parse(readFileSync(join(home, 'named/first/summary.json'), 'utf8')) as Record<string, unknown>;
    expect(digest).toBe(summary['digest']);
    expect(json['verdict']).toBe(summary['verdict']);
    expect(view.flows.map(({ flow }) => flow).sort()).toEqual([0, 1]);
    expect(JSON.stringify(json)).not.toContain(home);
  });

  it('that a link leads out to is refused', async () => {
    const answer = await told('open', { place: await placeOf('led-out') });
    expect(refusalOf(answer)).toMatch(/named\/led-out: permission denied.*outside of the folders that were named/);
    expect(answer.body.toString()).not.toContain('secret');
  });
});

describe('a scenario', () => {
  it('runs to the digest of the command line, with the files beside it', async () => {
    const { rest } = linesOf(await ran(await placeOf('own.yaml'), scenario));
    const { digest } = JSON.parse(weft('run', 'named/own.yaml', '--json', '--quiet')) as { digest: string };
    expect(runOfBytes(rest).digest).toBe(digest);
  });

  it('that is of the disk reads within the folders that were named', async () => {
    const answer = await ran(await placeOf('own.yaml'), scenario.replace('flows.csv', '../secret/flows.csv'));
    expect(refusalOf(answer)).toMatch(/outside of the folders that were named/);
    expect(answer.body.toString()).not.toContain('words');
  });

  it('that is typed reads nothing of the disk', async () => {
    expect(refusalOf(await ran(null, scenario.replace('flows.csv', '/etc/passwd')))).toMatch(/no such file/);
  });

  it('with a mistake is told where', async () => {
    const { lines } = linesOf(await ran(null, `seeed: 4\n${scenario}`, { 'flows.csv': trace }));
    expect(lines.at(-1)).toMatchObject({ refusal: { diagnostics: [{ line: 1, message: 'seeed is not known' }] } });
  });
});

describe('at once', () => {
  it('go as many as --jobs says, are stopped with what they have, and end with whoever goes away', async () => {
    const [one, two] = [await longRun(), await longRun()];
    const more = await told('run', { place: null, text: long, files: {} });
    expect({ status: more.status, said: more.body.toString() }).toEqual({
      status: 429,
      said: expect.stringContaining('2 at once is what weft ui --jobs 2 allows') as string,
    });
    expect(await isAlive()).toBe(true);
    await told('stop', { number: one.number });
    expect(runOfBytes(linesOf(await one.answer).rest).json).toMatchObject({ outcome: 'stopped' });
    two.leave();
    await expect.poll(children, { timeout: 5000 }).toBe('');
  }, 30_000);
});

describe('it goes on', () => {
  it.each([
    ['whose size is told', 'Content-Length: 1000000000', 413],
    ['whose size is not told', 'Transfer-Encoding: chunked', 413],
  ])(
    'after a body of 1 GB %s',
    async (_, header, status) => {
      const { answer } = await flood('/api/run', `Authorization: Bearer ${ui.token}\r\n${header}`);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*a request may have 64000000 bytes at most`));
      expect(await isAlive()).toBe(true);
      expect(peakMegabytes()).toBeLessThan(450);
    },
    30_000,
  );

  it('and says at once that a body of 1 GB need not be sent', async () => {
    const socket = connect(ui.port, '127.0.0.1');
    let answer = '';
    socket.on('data', (data) => (answer += data.toString())).on('error', () => {});
    socket.write(
      `POST /api/run HTTP/1.1\r\nHost: 127.0.0.1:${ui.port}\r\nAuthorization: Bearer ${ui.token}\r\n` +
        'Content-Length: 1000000000\r\nExpect: 100-continue\r\n\r\n',
    );
    await expect.poll(() => answer, { timeout: 5000 }).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it('after a body of 1 GB of somebody without a token, of which nothing is kept', async () => {
    const before = peakMegabytes();
    const { answer } = await flood('/api/run', 'Transfer-Encoding: chunked');
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(peakMegabytes() - before).toBeLessThan(60);
  }, 30_000);

  it('beside 1,000 connections that say nothing, or half of something, and ends them', async () => {
    const sockets: Socket[] = [];
    let open = 0;
    for (let i = 0; i < 1000; i++) {
      const socket = connect(ui.port, '127.0.0.1');
      socket.on('error', () => {}).on('close', () => open--);
      await new Promise((resolve) => socket.on('connect', resolve));
      open++;
      if (i % 2 === 0) socket.write('GET / HTTP/1.1\r\nX-Slow: ');
      sockets.push(socket.resume());
    }
    expect(await isAlive()).toBe(true);
    expect((await ask('/main.js')).status).toBe(200);
    await expect.poll(() => open, { timeout: 20_000, interval: 500 }).toBe(0);
    expect(await isAlive()).toBe(true);
  }, 40_000);

  it.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['a header without end', `GET / HTTP/1.1\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nHost: evil.example\r\n\r\n'],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n'],
    [
      'two lengths',
      'POST /api/run HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na',
    ],
  ])('after %s', async (_, text) => {
    const socket = connect(ui.port, '127.0.0.1');
    let answer = '';
    socket.on('data', (data) => (answer += data.toString())).on('error', () => {});
    socket.end(text.replaceAll('PORT', String(ui.port)));
    await new Promise((resolve) => socket.on('close', resolve));
    expect(answer).not.toMatch(/^HTTP\/1.1 2/);
    expect(answer).not.toMatch(/node_modules|\bat .*:\d+:\d+|dist\//);
    expect(await isAlive()).toBe(true);
  });

  it.each([
    ['no JSON', 'nothing'],
    ['a list', '[]'],
    ['nothing', ''],
    ['a scenario that is no text', '{"text":4,"place":null,"files":{}}'],
    ['files that are no texts', '{"text":"","place":null,"files":{"a":4}}'],
  ])('after %s in place of an object', async (_, body) => {
    const headers = { authorization: `Bearer ${ui.token}` };
    const { status, body: said } = await ask('/api/run', { method: 'POST', headers, body });
    expect(status).toBe(400);
    expect(said.toString()).toMatch(/^[a-z][^/]*\n$/);
    expect(await isAlive()).toBe(true);
  });
});

const browserPath = chromiumPath();

describe.skipIf(browserPath === null)('the page', () => {
  let browser: Browser;
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserPath!, args: ['--no-sandbox', '--disable-gpu'] });
  });
  afterAll(() => browser?.close());

  async function opened(url = ui.url): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(url);
    await page.evaluate('window.weft.ready');
    return page;
  }
  it('shows the first run that was named, also after a reload, without the token in the address', async () => {
    const page = await opened();
    expect(page.url()).toBe(`http://127.0.0.1:${ui.port}/`);
    expect(await runsOf(page)).toEqual([digestIn('named/first')]);
    const { verdict } = JSON.parse(readFileSync(join(home, 'named/first/summary.json'), 'utf8')) as { verdict: string };
    expect(await page.textContent('[data-testid=verdict]')).toBe(verdict);
    expect(await page.locator('[data-testid=flows] button').count()).toBe(2);
    await page.reload();
    await page.evaluate('window.weft.ready');
    expect(await runsOf(page)).toEqual([digestIn('named/first')]);
    await page.close();
  });

  it('opens and runs a scenario of the disk, and tells why a folder cannot be shown', async () => {
    const page = await opened();
    await page.click('[data-testid=places] >> text=own.yaml');
    await page.locator('.cm-content', { hasText: 'trace: flows.csv' }).waitFor();
    await page.locator('[data-testid=stop]').waitFor({ state: 'detached' });
    await expect.poll(() => page.textContent('[data-testid=forecast]'), { timeout: 10_000 }).toMatch(/^8 hosts/);
    await page.click('[data-testid=places] >> text=led-out');
    await page.locator('[data-testid=problems]', { hasText: 'outside of the folders that were named' }).waitFor();
    expect(await runsOf(page)).toHaveLength(1);
    const text =
      'seed: 9\nfabric: { generate: dumbbell }\ntraffic: { transfers: [{ source: 0, destination: 4, size: 1MB }] }\n';
    writeFileSync(join(home, 'typed.yaml'), text);
    const { digest } = await page.evaluate<{ digest: string }>(`window.weft.run(${JSON.stringify(text)})`);
    expect(digest).toBe((JSON.parse(weft('run', 'typed.yaml', '--json', '--quiet')) as { digest: string }).digest);
    await page.close();
  }, 120_000);

  it('says so where its link lacks the token', async () => {
    const page = await opened(ui.url.replace(/#.*/, ''));
    await page.locator('[data-testid=problems]', { hasText: 'the link that weft ui printed' }).waitFor();
    await page.close();
    // Chromium itself notes each answer of 403
    expect(complaints.splice(0).filter((text) => !text.includes('403'))).toEqual([]);
  });

  it('left nothing in the console', () => expect(complaints).toEqual([]));
});

it('leaves nothing running', async () => {
  ui.child.kill('SIGINT');
  expect(await ui.ended).toBe(130);
  expect(readdirSync(join(home, 'named')).sort()).toEqual([
    'first',
    'flows.csv',
    'led-out',
    'led.csv',
    'own.yaml',
    'runs',
  ]);
});

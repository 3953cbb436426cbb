// The server of `weft ui`: the page, and what only this machine can do for it. On the loopback interface alone.
//   GET /            and the other files of the application, for anybody who asks by the right name
//   GET /api/places  what was named on the command line
//   POST /api/text, /api/open, /api/sweep, /api/run, /api/forecast, /api/stop
// An answer of open, sweep, run and forecast is a line of JSON for each thing that is known: its number, progress, a
// refusal, a forecast, a sweep, the scenario of a run that was read, or how many bytes of the run (app/view/run-bytes.ts) follow.
// Invariants: a path of the disk never comes from a request; whoever goes away ends what was done for him; no answer tells
// more of a mistake than a sentence.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InputError } from '../../base/diagnostics.js';
import { isObject } from '../../campaign/portable-data.js';
import { weftVersion } from '../version.js';
import type { UiPlace, NamedPlaces } from './named-places.js';
import { jsonBody, RefusedRequest } from './request-body.js';
import { RequestGuard } from './request-guard.js';
import { contentPolicy } from './site-files.js';
import type { ScenarioText, UiTask } from './ui-task.js';
import { uiRefusal, type UiSlot, type UiWork } from './ui-work.js';

/** of a scenario with its files, and of any other request, in bytes */
const mostScenarioBytes = 64_000_000;
const mostOtherBytes = 10_000;
/** for a client to send the headers, and all, in wall-clock milliseconds */
const headersTimeoutMs = 5000;
const requestTimeoutMs = 60_000;
const mostConnections = 4000;
/** a client that is refused may still send for so long */
const refusedPatienceMs = 500;

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** What the server serves. */
export interface UiContent {
  readonly token: string;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly places: NamedPlaces;
  readonly work: UiWork;
}

export class UiServer {
  private readonly guard: RequestGuard;

  private constructor(
    private readonly server: Server,
    /** of the port that was taken */
    readonly port: number,
    private readonly content: UiContent,
  ) {
    this.guard = new RequestGuard(port, content.token);
  }

  /** Begins to listen. @param port 0: any that is free @throws InputError if it is taken */
  static async begin(port: number, content: UiContent): Promise<UiServer> {
    const server = createServer({
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: 1000,
    });
    server.maxConnections = mostConnections;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => reject(portRefused(port, error)));
      server.listen(port, '127.0.0.1', resolve);
    });
    const own = new UiServer(server, (server.address() as AddressInfo).port, content);
    const hear = (request: IncomingMessage, response: ServerResponse): void => void own.hear(request, response);
    // whoever asks first whether to send a body is heard before it is sent
    server.on('request', hear).on('checkContinue', hear);
    return own;
  }

  /** Ends all connections, and what was done for them. */
  async close(): Promise<void> {
    this.content.work.close();
    const ended = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await ended;
  }

  private async hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    try {
      const refusal = this.guard.ofAny(request);
      if (refusal !== null) throw new RefusedRequest(refusal.status, refusal.text);
      const path = (request.url ?? '').replace(/\?.*$/s, '');
      if (path.startsWith('/api/')) await this.answer(path.slice(5), request, response);
      else this.sendFile(path === '/' ? 'index.html' : path.slice(1), request, response);
    } catch (error) {
      if (error instanceof RefusedRequest) refuse(request, response, error.status, error.message);
      else refuse(request, response, 500, 'weft ui has made a mistake, and goes on');
    }
  }

  private sendFile(name: string, { method }: IncomingMessage, response: ServerResponse): void {
    const bytes = this.content.files.get(name);
    if (bytes === undefined) throw new RefusedRequest(404, 'there is no such file');
    if (method !== 'GET' && method !== 'HEAD') throw new RefusedRequest(405, 'files are got (GET)');
    response.writeHead(200, {
      ...safeHeaders,
      'content-type': types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
      'content-length': bytes.length,
    });
    response.end(method === 'HEAD' ? undefined : bytes);
  }

  /** @param asked what of the machine */
  private async answer(asked: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = this.guard.ofToken(request);
    if (refusal !== null) throw new RefusedRequest(refusal.status, refusal.text);
    const { places, work } = this.content;
    if (asked === 'places' && request.method === 'GET') {
      sendJson(response, { version: weftVersion(), mostRuns: work.mostRuns, ...(await said(() => places.list())) });
      return;
    }
    const kind = taskWords.find((own) => own === asked);
    if (request.method !== 'POST' || (kind === undefined && asked !== 'text' && asked !== 'stop'))
      throw new RefusedRequest(404, 'weft ui cannot do that');
    if (kind !== undefined) {
      await this.carryOut(kind, request, response);
      return;
    }
    const { place, number } = await jsonBody(request, response, mostOtherBytes);
    if (asked === 'text') {
      const { path } = found(places.place(place, 'scenario'));
      sendJson(response, await said(async () => ({ text: await places.bounds.host().readText(path) })));
      return;
    }
    work.slot(number)?.stop();
    sendJson(response, {});
  }

  private async carryOut(kind: UiTask['kind'], request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { work } = this.content;
    const slot = work.take(kind === 'forecast');
    if (slot === null)
      throw new RefusedRequest(
        429,
        `${work.mostRuns} at once is what weft ui --jobs ${work.mostRuns} allows: wait for one to end, or stop it`,
      );
    response.on('close', () => slot.free());
    try {
      const body = await jsonBody(
        request,
        response,
        kind === 'run' || kind === 'forecast' ? mostScenarioBytes : mostOtherBytes,
      );
      await this.workFor(this.taskOf(kind, body), slot, response);
    } finally {
      slot.free();
    }
  }

  private async workFor(task: UiTask, slot: UiSlot, response: ServerResponse): Promise<void> {
    const tell = (line: object): void => void response.write(`${JSON.stringify(line)}\n`);
    response.writeHead(200, { ...safeHeaders, 'content-type': 'application/octet-stream' });
    tell({ number: slot.number });
    try {
      const result = await slot.work(task, (progress) => tell({ progress }));
      if ('forecast' in result) tell({ forecast: result.forecast });
      else if ('sweep' in result) {
        const { view, folders } = result.sweep;
        const { places } = this.content;
        tell({ sweep: { view, places: folders.map((path) => (path === null ? null : places.numbered('run', path))) } });
      } else {
        const { bytes, scenario } = result;
        if (scenario !== undefined) {
          const { text, path } = scenario;
          tell({ scenario: { text, place: path === null ? null : this.content.places.numbered('scenario', path) } });
        }
        tell({ bytes: bytes.length });
        response.write(bytes);
      }
    } catch (error) {
      tell({ refusal: uiRefusal(error) });
    }
    response.end();
  }

  private taskOf(kind: UiTask['kind'], body: Readonly<Record<string, unknown>>): UiTask {
    const { places } = this.content;
    const { folders } = places;
    if (kind === 'open' || kind === 'sweep') {
      const { path } = found(places.place(body['place'], kind === 'open' ? 'run' : 'sweep'));
      return { kind, folders, path };
    }
    const { text, place, files } = body;
    if (typeof text !== 'string' || !isObject(files) || !Object.values(files).every((own) => typeof own === 'string'))
      throw new RefusedRequest(400, 'a scenario is a text, with the texts of its files');
    const isOnDisk = place !== null;
    const scenario: ScenarioText = {
      text,
      file: isOnDisk ? found(places.place(place, 'scenario')).path : 'scenario.yaml',
      isOnDisk,
      files: files as Readonly<Record<string, string>>,
    };
    return { kind, folders, scenario };
  }
}

/** What is carried out by a process. */
const taskWords = ['open', 'sweep', 'run', 'forecast'] as const;

const safeHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': `${contentPolicy('machine')}; frame-ancestors 'none'`,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

function found(place: UiPlace | null): UiPlace {
  if (place === null) throw new RefusedRequest(404, 'this was not named to weft ui');
  return place;
}

/** What something comes to, or its refusal as a page has it. */
async function said<Value extends object>(make: () => Promise<Value>): Promise<Value | { readonly refusal: object }> {
  return make().catch((error: unknown) => ({ refusal: uiRefusal(error) }));
}

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { ...safeHeaders, 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** Says no, and hears no more of it. */
function refuse(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  if (!response.headersSent)
    response.writeHead(status, { ...safeHeaders, 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${text}\n`);
  // what it goes on to send is thrown away for a while: were the connection cut at once, it would not come to the answer
  request.resume();
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, refusedPatienceMs).unref();
}

function portRefused(port: number, { code, message }: NodeJS.ErrnoException): InputError {
  return InputError.about(
    'ui-port',
    '--port',
    code === 'EADDRINUSE' ? 'another program has this port' : 'this port cannot be had',
    {
      got: code === 'EADDRINUSE' ? String(port) : `${port}: ${message}`,
      wanted: 'a port that is free',
      hint: '--port 0 takes any that is free',
    },
  );
}

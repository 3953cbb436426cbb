// A Redis server of a test's own: Debian's redis-server on a free port, in a folder of its own. Where it is missing, the
// tests are skipped and the run says so once (`setup`, vitest.config.ts); .ci/run installs it. Invariant: it ends with
// `stop`.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Whether it is installed. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

/** Called by vitest once per run, before any test. */
export function setup(): void {
  if (!hasRedis)
    process.stdout.write(
      'not installed: redis-server; tests of campaigns on a queue are skipped (.ci/install-redis)\n',
    );
}

export class LiveRedis {
  private server: ChildProcess | null = null;
  private readonly folder = mkdtempSync(join(tmpdir(), 'weft-redis-'));

  private constructor(
    readonly port: number,
    private readonly words: readonly string[],
    private readonly isEncrypted: boolean,
  ) {}

  /** @param words further options of redis-server @param appends whether it keeps an append-only file */
  static start(appends = true, words: readonly string[] = []): Promise<LiveRedis> {
    return LiveRedis.with(() => ['--appendonly', appends ? 'yes' : 'no', '--appendfsync', 'always', ...words], false);
  }

  /**
   * Starts one that speaks TLS alone, with a certificate of its own making.
   * @param words further options of redis-server
   * @returns it, and the file by which it is trusted
   */
  static async startEncrypted(words: readonly string[]): Promise<{ server: LiveRedis; certificate: string }> {
    const folder = mkdtempSync(join(tmpdir(), 'weft-redis-tls-'));
    const [key, certificate] = ['key.pem', 'certificate.pem'].map((name) => join(folder, name)) as [string, string];
    const made = spawnSync(
      'openssl',
      `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout ${key} -out ${certificate}`
        .split(' ')
        .concat('-addext', 'subjectAltName=IP:127.0.0.1'),
    );
    if (made.status !== 0) throw new Error(`openssl makes no certificate: ${made.stderr.toString()}`);
    const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate];
    const server = await LiveRedis.with(
      (port) => ['--port', '0', '--tls-port', `${port}`, '--tls-auth-clients', 'no', ...files, ...words],
      true,
    );
    return { server, certificate };
  }

  private static async with(words: (port: number) => readonly string[], isEncrypted: boolean): Promise<LiveRedis> {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    probe.close();
    await once(probe, 'close');
    const own = new LiveRedis(port, words(port), isEncrypted);
    await own.begin();
    return own;
  }

  get url(): string {
    return `${this.isEncrypted ? 'rediss' : 'redis'}://127.0.0.1:${this.port}`;
  }

  /** Starts it, again after `kill`. */
  async begin(): Promise<void> {
    const words = ['--port', `${this.port}`, '--bind', '127.0.0.1', '--dir', this.folder, '--save', '', ...this.words];
    this.server = spawn('redis-server', words, { stdio: 'ignore' });
    for (let tries = 0; tries < 500; tries++) {
      const socket = connect(this.port, '127.0.0.1');
      const isUp = await new Promise<boolean>((resolve) => {
        socket.once('connect', () => resolve(true));
        socket.once('error', () => resolve(false));
      });
      socket.destroy();
      if (isUp) return;
      await pause(20);
    }
    throw new Error('redis-server does not come up');
  }

  /** Ends it as a crash would. */
  async kill(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (server === null || server.exitCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

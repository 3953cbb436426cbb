// A way to Redis that can be cut: an interface of a network namespace that goes down, as where a cable is pulled, or where
// nobody may make namespaces a relay through which nothing comes any more.
// Invariant: nothing of it is left after `close`.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface NetworkCable {
  /** of Redis, from behind the cable */
  readonly url: string;
  /** what a program is begun with to be behind it */
  readonly before: readonly string[];
  cut(): void;
  mend(): void;
  close(): void;
}

/** @param port of a Redis that listens at all addresses @param number of this cable, below 250 */
export async function networkCable(port: number, number: number): Promise<NetworkCable> {
  return namespaceCable(port, number) ?? (await Relay.to(port));
}

function ip(...words: string[]): boolean {
  return spawnSync('ip', words, { stdio: 'ignore' }).status === 0;
}

/** null: this process may make none. */
function namespaceCable(port: number, number: number): NetworkCable | null {
  const name = `weft-${process.pid}-${number}`;
  const [near, far] = [`wn${process.pid}`, `wf${process.pid}`];
  const address = `10.213.${1 + number}.`;
  const close = (): void => {
    ip('link', 'del', near);
    ip('netns', 'del', name);
  };
  if (!ip('netns', 'add', name)) return null;
  const isMade =
    ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far) &&
    ip('link', 'set', far, 'netns', name) &&
    ip('addr', 'add', `${address}1/24`, 'dev', near) &&
    ip('link', 'set', near, 'up') &&
    ip('-n', name, 'addr', 'add', `${address}2/24`, 'dev', far) &&
    ip('-n', name, 'link', 'set', far, 'up');
  if (!isMade) {
    close();
    return null;
  }
  return {
    url: `redis://${address}1:${port}`,
    before: ['ip', 'netns', 'exec', name],
    cut: () => void ip('link', 'set', near, 'down'),
    mend: () => void ip('link', 'set', near, 'up'),
    close,
  };
}

class Relay implements NetworkCable {
  readonly before = [];
  private readonly sockets = new Set<Socket>();
  private isCut = false;
  private constructor(private readonly server: Server) {}

  static async to(port: number): Promise<Relay> {
    const server = createServer();
    const relay = new Relay(server);
    server.on('connection', (near) => {
      const far = connect(port, '127.0.0.1');
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        relay.sockets.add(one);
        one.on('data', (piece) => void (relay.isCut || other.write(piece)));
        one.on('error', () => {});
        one.on('close', () => {
          relay.sockets.delete(one);
          other.destroy();
        });
      }
      if (relay.isCut) near.destroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return relay;
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.isCut = true;
  }

  mend(): void {
    this.isCut = false;
    for (const socket of this.sockets) socket.destroy();
  }

  close(): void {
    this.mend();
    this.server.close();
  }
}

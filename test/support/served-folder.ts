// A folder's files for a browser, served to this machine alone, with no program behind them.

import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const types: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  png: 'image/png',
};

export interface ServedFolder {
  readonly address: string;
  /** names of files in the order in which they were asked for */
  readonly asked: string[];
  close(): Promise<void>;
}

/** Serves the pages, programs, styles and pictures of a folder. */
export async function serveFolder(folder: string): Promise<ServedFolder> {
  const asked: string[] = [];
  const server = createServer(({ url = '/' }, response) => {
    const name = url === '/' ? 'index.html' : url.slice(1);
    asked.push(name);
    const type = types[name.split('.').pop()!];
    if (name.includes('..') || type === undefined || !existsSync(join(folder, name))) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': type }).end(readFileSync(join(folder, name)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

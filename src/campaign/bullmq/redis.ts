// The way to Redis (or Valkey): connections that wait while it is away and come back by themselves, and what a person is
// told of one that cannot be reached.
// Invariant: no text that leaves this file holds a user's name or password.

import type { Redis } from 'ioredis';
import { InputError, wholeFile } from '../../base/diagnostics.js';

/** Milliseconds until the first answer. */
const patienceMs = 10_000;
/** Milliseconds that the end of a command waits for Redis. */
const lastMs = 3000;
/** Most milliseconds between two tries to come back. */
const mostBetweenMs = 2000;

/** Where Redis is, and who asks: `redis://` or `rediss://` (TLS). */
export interface RedisAddress {
  readonly url: string;
  /** instead of what the URL says */
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** The environment variables that say the same as the option and keep it out of lists of processes. */
const redisVariables = {
  url: 'WEFT_REDIS_URL',
  username: 'WEFT_REDIS_USERNAME',
  password: 'WEFT_REDIS_PASSWORD',
};

/** Where Redis is, by option or environment. @throws InputError */
export function redisAddress(option: string | undefined, environment: NodeJS.ProcessEnv): RedisAddress {
  const url = option ?? environment[redisVariables.url];
  const wanted = 'redis://HOST:PORT, or rediss:// for TLS';
  if (url === undefined || url === '')
    throw InputError.at('redis-url', '--redis', wholeFile, 'it is not said where Redis is', {
      wanted,
      hint: `give --redis, or set ${redisVariables.url}`,
    });
  const read = URL.canParse(url) ? new URL(url) : null;
  if (read === null || !['redis:', 'rediss:'].includes(read.protocol) || read.hostname === '')
    // what was given may hold a password
    throw InputError.at('redis-url', '--redis', wholeFile, 'this is not the address of a Redis server', { wanted });
  return { url, username: environment[redisVariables.username], password: environment[redisVariables.password] };
}

/** The address without who asks. */
export function shownAddress({ url }: RedisAddress): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

/**
 * Connects. Later losses of the connection are waited out.
 * @param onLoss is told once each time that it is lost
 * @throws InputError if there is no answer, or a refusal
 */
export async function connectRedis(address: RedisAddress, onLoss: () => void = () => {}): Promise<Redis> {
  const { Redis } = await import('ioredis').catch((error: unknown) => {
    throw missingPackage(error);
  });
  let isUp = false;
  let why = '';
  const { url, username, password } = address;
  const client = new Redis(url, {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    lazyConnect: true,
    maxRetriesPerRequest: null,
    connectTimeout: patienceMs,
    // before it was up once, nobody comes back
    retryStrategy: (times) => (isUp ? Math.min(100 * times, mostBetweenMs) : null),
  });
  // without a listener it would end the process
  client.on('error', (error: Error & { code?: string }) => {
    why = error.code ?? error.message;
  });
  let isAway = false;
  client.on('reconnecting', () => {
    if (!isAway) onLoss();
    isAway = true;
  });
  client.on('ready', () => (isAway = false));
  try {
    await client.connect();
    await client.ping();
    isUp = true;
    return client;
  } catch (error) {
    client.disconnect();
    const reason = why === '' ? (error as Error).message : why;
    throw InputError.at(
      'redis-unreachable',
      '--redis',
      wholeFile,
      `Redis cannot be used: ${withoutSecrets(reason, address)}`,
      {
        got: shownAddress(address),
        hint: /CERT|SELF_SIGNED|ISSUER/.test(reason)
          ? 'NODE_EXTRA_CA_CERTS=FILE names the authority (PEM) that has signed its certificate'
          : `is it running, and are user and password right? They may stand in ${redisVariables.username} and ${redisVariables.password}`,
      },
    );
  }
}

/** The package of the queue. @throws InputError if it is not installed */
export async function loadBullMq(): Promise<typeof import('bullmq')> {
  return import('bullmq').catch((error: unknown) => {
    throw missingPackage(error);
  });
}

/** Does something at the end of a command, which is given up if Redis is away. */
export async function withoutWaiting(work: () => Promise<unknown>): Promise<void> {
  let clock: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => (clock = setTimeout(resolve, lastMs)));
  await Promise.race([work().catch(() => {}), late]);
  clearTimeout(clock);
}

function missingPackage(error: unknown): InputError {
  return InputError.at('engine-package', '--on', wholeFile, 'the packages bullmq and ioredis are not installed', {
    got: error instanceof Error ? error.message.split('\n', 1)[0]! : String(error),
    hint: 'they are optional: npm install bullmq ioredis',
  });
}

function withoutSecrets(text: string, { url, username, password }: RedisAddress): string {
  const read = new URL(url);
  let shown = text;
  for (const secret of [read.password, decodeURIComponent(read.password), password, username])
    if (secret !== undefined && secret !== '') shown = shown.replaceAll(secret, '***');
  return shown;
}

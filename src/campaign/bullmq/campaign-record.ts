// What lies in Redis beside the queue: of each campaign what its tasks share, by the campaign's number; the files that
// they read, by SHA-256; and who is there. docs/campaigns.md describes it.
// Invariants: everything goes away by itself after some days; what is read is checked, as anybody may have written it.

import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { InputError } from '../../base/diagnostics.js';
import { readRegularFile } from '../../storage/regular-file.js';
import { isObject, portableData, portableText } from '../portable-data.js';
import type { PortableWork } from '../task-engine.js';

/** Before all keys in Redis. */
export const keyPrefix = 'weft';
/** Seconds that what nobody asks for stays in Redis. */
export const keptSeconds = 7 * 24 * 3600;
/** Largest file that travels, in bytes: Redis holds 512 MB under a key. */
const mostFileBytes = 256e6;
/** Largest record of a campaign, in bytes, and most files in one. */
const mostRecordBytes = 64e6;
const mostFiles = 10_000;
/** Milliseconds after which somebody who said nothing is gone. */
export const presenceMs = 15_000;

/** The name of the queue of a version: workers of another never see its tasks. */
export function queueName(version: string): string {
  return `runs-${version}`;
}

/** A campaign as workers know it. */
export interface CampaignRecord {
  readonly kind: string;
  readonly version: string;
  readonly shared: unknown;
  /** SHA-256 by path */
  readonly files: ReadonlyMap<string, string>;
  readonly longestRunMs: number | undefined;
}

/** A worker or a campaign that is there now. */
export interface Presence {
  readonly version: string;
  readonly host: string;
  readonly pid: number;
  /** runs at the same time; of a campaign 0 */
  readonly jobs: number;
}

const campaignKey = (id: string): string => `${keyPrefix}:campaign:${id}`;
const contentKey = (sha256: string): string => `${keyPrefix}:content:${sha256}`;
const presenceKey = (role: 'workers' | 'campaigns'): string => `${keyPrefix}:${role}`;

/** Puts a campaign and its files into Redis, or keeps them there. @throws InputError if a file is too large, or changed */
export async function publishCampaign(
  redis: Redis,
  id: string,
  { kind, shared, files }: PortableWork,
  { version, longestRunMs }: Pick<CampaignRecord, 'version' | 'longestRunMs'>,
): Promise<void> {
  for (const [path, sha256] of files) {
    if ((await redis.expire(contentKey(sha256), keptSeconds)) === 1) continue;
    const content = await readRegularFile(path, mostFileBytes);
    if (digestOf(content) !== sha256)
      throw InputError.about('campaign-input', path, 'this file has changed since the command began', {
        hint: 'give the command again',
      });
    await redis.set(contentKey(sha256), content, 'EX', keptSeconds);
  }
  const record: CampaignRecord = { kind, version, shared: shared(), files, longestRunMs };
  await redis.set(campaignKey(id), portableText(record), 'EX', keptSeconds);
}

/** Whether a campaign is in Redis; its time begins anew. */
export async function isPublished(redis: Redis, id: string, files: ReadonlyMap<string, string>): Promise<boolean> {
  for (const sha256 of files.values()) if ((await redis.exists(contentKey(sha256))) === 0) return false;
  return (await redis.expire(campaignKey(id), keptSeconds)) === 1;
}

/** Takes a campaign out of Redis. Its files stay for others that read them, until their time is over. */
export async function removeCampaign(redis: Redis, id: string): Promise<void> {
  await redis.del(campaignKey(id));
}

/** What a campaign is. @returns null if it is not there @throws Error if it is none */
export async function readCampaign(redis: Redis, id: string): Promise<CampaignRecord | null> {
  const sizeBytes = await redis.strlen(campaignKey(id));
  if (sizeBytes > mostRecordBytes) throw refused(`its campaign has ${sizeBytes} bytes, more than ${mostRecordBytes}`);
  const text = await redis.get(campaignKey(id));
  if (text === null) return null;
  let read: unknown;
  try {
    read = portableData(text);
  } catch {
    throw refused('its campaign is no JSON');
  }
  if (!isObject(read)) throw refused('its campaign is no object');
  const { kind, version, shared, files, longestRunMs } = read;
  if (typeof kind !== 'string' || typeof version !== 'string') throw refused('its campaign has no kind or version');
  if (!(files instanceof Map) || files.size > mostFiles) throw refused('its campaign has no list of files');
  for (const [path, sha256] of files as ReadonlyMap<unknown, unknown>)
    if (typeof path !== 'string' || typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256))
      throw refused('a file of its campaign has no path or SHA-256');
  if (longestRunMs !== undefined && !(typeof longestRunMs === 'number' && longestRunMs > 0))
    throw refused('the longest time of its runs is none');
  return { kind, version, shared, files: files as ReadonlyMap<string, string>, longestRunMs };
}

/** The content of a file that came with a campaign. @returns null if it is not there @throws Error if it is another */
export async function readContent(redis: Redis, sha256: string): Promise<Buffer | null> {
  const sizeBytes = await redis.strlen(contentKey(sha256));
  if (sizeBytes > mostFileBytes) throw refused(`a file of it has ${sizeBytes} bytes, more than ${mostFileBytes}`);
  const content = await redis.getBuffer(contentKey(sha256));
  if (content !== null && digestOf(content) !== sha256) throw refused(`the content of a file is not ${sha256}`);
  return content;
}

/** Says that somebody is there, for the next seconds. */
export async function announce(redis: Redis, role: 'workers' | 'campaigns', who: Presence): Promise<void> {
  await redis.zadd(presenceKey(role), Date.now() + presenceMs, JSON.stringify(who));
  await redis.zremrangebyscore(presenceKey(role), '-inf', Date.now() - presenceMs);
}

/** Takes back what `announce` has said. */
export async function withdraw(redis: Redis, role: 'workers' | 'campaigns', who: Presence): Promise<void> {
  await redis.zrem(presenceKey(role), JSON.stringify(who));
}

/** Who is there. */
export async function whoIsThere(redis: Redis, role: 'workers' | 'campaigns'): Promise<Presence[]> {
  const said = await redis.zrangebyscore(presenceKey(role), Date.now(), '+inf', 'LIMIT', 0, 1000);
  return said.flatMap((text) => {
    let read: unknown;
    try {
      read = JSON.parse(text);
    } catch {
      return [];
    }
    if (!isObject(read)) return [];
    const { version, host, pid, jobs } = read;
    const isOurs = typeof version === 'string' && typeof host === 'string' && typeof pid === 'number';
    return isOurs && typeof jobs === 'number' ? [{ version, host, pid, jobs }] : [];
  });
}

/** What the reason of a job begins with that lacks something, as Redis began anew; and of one that nobody carries out. */
export const forgottenText = 'Redis has forgotten';
export const refusedText = 'the task is refused:';

/** A task that is not carried out, whoever tries. */
export class RefusedTask extends Error {
  override readonly name = 'RefusedTask';
}

/** @param why after "the task is refused:" */
export function refused(why: string): RefusedTask {
  return new RefusedTask(`${refusedText} ${why}`);
}

function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

// Who may ask `weft ui` for something: a page that it served itself, on this machine, which knows the token.
// Invariants: a name that leads to this machine by the DNS of somebody else (rebinding), a page of another origin, and
// whoever has no token are refused before anything of their request is read; tokens are compared in constant time.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Why a request is refused. */
export interface RequestRefusal {
  readonly status: number;
  readonly text: string;
}

/** Looks at requests to one port. */
export class RequestGuard {
  private readonly hosts: readonly string[];
  private readonly tokenHash: Buffer;

  constructor(port: number, token: string) {
    // browsers leave out the port of HTTP
    const ports = port === 80 ? ['', ':80'] : [`:${port}`];
    this.hosts = ports.flatMap((own) => [`127.0.0.1${own}`, `localhost${own}`]);
    this.tokenHash = hashOf(token);
  }

  /** Refuses what comes by another name or from another page; null: it may go on. */
  ofAny({ headers, headersDistinct }: Pick<IncomingMessage, 'headers' | 'headersDistinct'>): RequestRefusal | null {
    const host = headers.host?.toLowerCase() ?? '';
    if (!this.hosts.includes(host) || headersDistinct['host']?.length !== 1)
      return { status: 403, text: `weft ui answers to ${this.hosts[0]} and ${this.hosts.at(-1)} alone` };
    const { origin } = headers;
    if (origin !== undefined && origin.toLowerCase() !== `http://${host}`)
      return { status: 403, text: 'weft ui answers to its own page alone, and to no other origin' };
    return null;
  }

  /** Refuses who has no token, or another one; null: it may go on. */
  ofToken({ headers }: Pick<IncomingMessage, 'headers'>): RequestRefusal | null {
    const given = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    if (timingSafeEqual(hashOf(given), this.tokenHash)) return null;
    return { status: 403, text: 'the token is missing or wrong: open the page by the link that weft ui printed' };
  }
}

/** Of one length, whatever was given. */
function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

// The body of a request, up to a size: what is longer is refused as soon as that is known, and never kept.

import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request that is refused, with its status. */
export class RefusedRequest extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** The object that a body holds, as JSON. @param mostBytes of it @throws RefusedRequest */
export async function jsonBody(
  request: IncomingMessage,
  response: ServerResponse,
  mostBytes: number,
): Promise<Readonly<Record<string, unknown>>> {
  const tooLarge = new RefusedRequest(413, `a request may have ${mostBytes} bytes at most`);
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw tooLarge;
  if (request.headers.expect !== undefined) response.writeContinue();
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    // the answer still goes the way that the request came
    for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > mostBytes) throw tooLarge;
      pieces.push(piece);
    }
  } catch (error) {
    if (error === tooLarge) throw error;
    throw new RefusedRequest(400, 'the request ended before its body did');
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Readonly<Record<string, unknown>>;
  } catch {
    // said below
  }
  throw new RefusedRequest(400, 'the body of a request is one object of JSON');
}

// What the pure part of Weft needs of the world around it: files, a clock, a breath between slices of work.
// The command line gives Node's (storage/node-host.ts), tests give one in memory, a browser worker will give its own.

/** A file could not be read; the command line reports it as bad input with exit code 2. */
export class HostFileError extends Error {
  override readonly name = 'HostFileError';

  constructor(
    readonly path: string,
    readonly reason: 'missing' | 'directory' | 'not-regular' | 'not-text' | 'denied' | 'too-large' | 'unreadable',
    detail = '',
  ) {
    super(
      path === '' ? 'the path of a file is empty' : `${path}: ${reasons[reason]}${detail === '' ? '' : ` (${detail})`}`,
    );
  }
}

const reasons = {
  missing: 'no such file',
  directory: 'is a directory, not a file',
  'not-regular': 'is not a regular file',
  'not-text': 'is not a text file',
  denied: 'permission denied',
  'too-large': 'is too large to be read whole',
  unreadable: 'cannot be read',
} as const;

/** A digest that is fed piece by piece. */
export interface RunningDigest {
  update(bytes: Uint8Array): unknown;
  /** Call it once, at the end. */
  digest(): Uint8Array;
}

export interface Host {
  /** The whole of a regular text file as UTF-8, up to a size that the host sets. @throws HostFileError */
  readText(path: string): Promise<string>;
  /**
   * The bytes of a regular file, of any size, in pieces of at most about a megabyte. A piece may be overwritten once
   * the next one is asked for.
   * @throws HostFileError, at the first step of the iteration
   */
  readBytes(path: string): AsyncIterable<Uint8Array>;
  /** `path` seen from the file `from`: relative to its folder, or unchanged if absolute. */
  resolve(from: string, path: string): string;
  /** Wall-clock milliseconds from an arbitrary origin. */
  wallMs(): number;
  /** CPU seconds that this process has used. */
  cpuSeconds(): number;
  /** Peak resident memory of this process in bytes, 0 if unknown. */
  peakMemoryBytes(): number;
  /** A SHA-256 in native code; left out: there is none. */
  readonly sha256?: () => RunningDigest;
  /** Lets timers, signals and writes happen. */
  breathe(): Promise<void>;
}

/** Something ended because it was asked to: no mistake of anybody's. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/**
 * Makes something from files that may be long, and leaves off when it is asked to stop. What reads on afterwards, such
 * as a trace while it is simulated, is not touched: whoever drives that looks between its slices.
 * @param stopRequested asked after every piece of a file
 * @param make is given the host to read with
 * @throws Stopped, and what `make` throws
 */
export async function readingUntil<T>(
  host: Host,
  stopRequested: () => boolean,
  make: (host: Host) => Promise<T>,
): Promise<T> {
  let isMaking = true;
  const look = (): void => {
    if (isMaking && stopRequested()) throw new Stopped();
  };
  try {
    const made = await make({
      ...host,
      readText: async (path) => {
        const text = await host.readText(path);
        look();
        return text;
      },
      readBytes: async function* (path) {
        for await (const piece of host.readBytes(path)) {
          look();
          yield piece;
        }
      },
    });
    look();
    return made;
  } finally {
    isMaking = false;
  }
}

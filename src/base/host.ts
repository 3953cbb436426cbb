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
   * The bytes of a regular file, of any size, in pieces of at most about a megabyte.
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

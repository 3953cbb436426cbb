// What the machine had too little of, by the code of the operating system: neither a mistake in the input nor a bug.

interface Limit {
  readonly what: string;
  readonly hint: string;
}

const files = 'allow more (ulimit -n 1024), or run fewer at the same time (--jobs 1, --workers 1)';

const limits: Readonly<Record<string, Limit>> = {
  EMFILE: { what: 'too many open files in this process', hint: files },
  ENFILE: { what: 'too many open files on this machine', hint: 'close other programs, or wait for them' },
  EAGAIN: {
    what: 'no more processes may begin',
    hint: 'allow more (ulimit -u), or run fewer at the same time (--jobs 1, --workers 1)',
  },
  ENOMEM: { what: 'not enough memory', hint: 'run fewer at the same time (--jobs 1, --workers 1)' },
  ENOSPC: { what: 'no space left on the device', hint: 'free some, or give another folder' },
};

/** In words what an error says that the machine had too little of; null: it is another error. */
export function machineLimit(error: unknown): Limit | null {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && Object.hasOwn(limits, code) ? limits[code]! : null;
}

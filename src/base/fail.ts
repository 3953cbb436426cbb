// A broken invariant of Weft itself: always on, never caught for recovery, always a bug.
// Bad input is not this (see diagnostics.ts), nor is a network outcome (see execution/network.ts).

/** Thrown by {@link fail}: the program contradicts itself and its results may not be used. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/**
 * Stops the program because an invariant is broken. Write `if (broken) fail(...)`: the test is inline, the call is not.
 * @param message what is broken, with the values that show it
 * @throws InvariantError always
 */
export function fail(message: string): never {
  throw new InvariantError(
    `${message}\nThis is a bug in Weft, not in your input. Please report it with the scenario and the seed.`,
  );
}

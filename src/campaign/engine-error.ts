// What keeps an engine from going on: a service that does not take work, or a job that somebody has cancelled. Neither
// bad input nor a bug of Weft's; what had ended is kept.

export class EngineError extends Error {
  override readonly name = 'EngineError';

  /** @param message what was found @param hint what to do */
  constructor(message: string, hint: string) {
    super(`${message}\n  hint:   ${hint}`);
  }
}

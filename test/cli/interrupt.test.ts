// Ctrl-C: once asks, twice ends, and nothing is left listening.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { Interrupt } from '../../src/cli/interrupt.js';

afterEach(() => vi.restoreAllMocks());

describe('Interrupt', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('asks at the first %s and ends at the second', (signal, code) => {
    const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
    const said: string[] = [];
    const interrupt = new Interrupt((text) => said.push(text));
    expect(interrupt.requested).toBe(false);
    process.emit(signal, signal);
    expect(interrupt.requested).toBe(true);
    expect(interrupt.exitCode).toBe(code);
    expect(said).toHaveLength(1);
    expect(exit).not.toHaveBeenCalled();
    process.emit(signal, signal);
    expect(exit).toHaveBeenCalledWith(code);
    interrupt.close();
    expect(process.listeners(signal)).not.toContain(
      (interrupt as unknown as { listener: NodeJS.SignalsListener }).listener,
    );
  });
});

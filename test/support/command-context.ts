// The world of a command, in memory: what it prints is kept, what it calls is scripted.

import type { CommandContext } from '../../src/cli/context.js';
import { InputDigests } from '../../src/storage/input-digests.js';
import { nodeHost } from '../../src/storage/node-host.js';
import { emptyPlan, figuresWith, scriptedSimulate } from './hand-made-run.js';

/** A stream that keeps what is written to it. */
export class KeptStream {
  text = '';

  constructor(
    readonly isTTY = false,
    readonly columns = 80,
  ) {}

  write(text: string): boolean {
    this.text += text;
    return true;
  }
}

export interface ScriptedContext extends CommandContext {
  readonly stdout: KeptStream;
  readonly stderr: KeptStream;
}

/** A context whose scenario is empty and whose simulation returns figures made by hand, with changes. */
export function scriptedContext(changes: Partial<CommandContext> = {}): ScriptedContext {
  const inputs = new InputDigests();
  return {
    host: nodeHost(inputs),
    inputs,
    environment: { LANG: 'C.UTF-8' },
    sideBySide: { processes: 1 },
    makePlan: () => Promise.resolve(emptyPlan()),
    simulate: scriptedSimulate([], figuresWith()),
    commandLine: [],
    endWith: () => {},
    ...changes,
    stdout: new KeptStream(),
    stderr: new KeptStream(),
  };
}

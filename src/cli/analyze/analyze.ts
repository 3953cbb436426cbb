// weft analyze collisions | flows | fct | ports: what a run left behind, and files of other simulators, looked at again.

import { Command } from 'commander';
import type { CommandContext } from '../context.js';
import { collisionsCommand } from './analyze-collisions.js';
import { fctCommand, portsCommand } from './analyze-distributions.js';
import { flowsCommand } from './analyze-flows.js';

/** The command `analyze` with its subcommands. */
export function analyzeCommand(context: CommandContext): Command {
  const analyze = new Command('analyze').description('runs and files of others: collisions, flows, times, ports');
  for (const make of [collisionsCommand, flowsCommand, fctCommand, portsCommand]) analyze.addCommand(make(context));
  return analyze;
}

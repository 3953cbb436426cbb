// weft analyze collisions | flows | fct | ports: what a run left behind, and files of other simulators, looked at
// again.

import { commandGroup } from '../options/declared-command.js';
import { collisionsCommand } from './analyze-collisions.js';
import { fctCommand, portsCommand } from './analyze-distributions.js';
import { flowsCommand } from './analyze-flows.js';

/** The command `analyze` with its subcommands. */
export default commandGroup('analyze', 'runs and files of others: collisions, flows, times, ports', [
  collisionsCommand,
  flowsCommand,
  fctCommand,
  portsCommand,
]);

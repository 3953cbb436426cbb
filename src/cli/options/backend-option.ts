// `--backend` of commands that run on one backend, on fluid unless they are told otherwise.

import { backendHelp, backendNames } from '../../backends/catalogue.js';
import { oneOf } from './declared-command.js';

/** The option. */
export const backendOption = oneOf('--backend <name>', backendHelp(), backendNames, 'fluid');

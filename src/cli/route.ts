// weft route: static routes for InfiniBand fabrics. Every subcommand is a file of its own.

import { Command } from 'commander';
import type { CommandContext } from './context.js';
import { compareCommand } from './route-compare.js';
import { computeCommand } from './route-compute.js';
import { evaluateCommand } from './route-evaluate.js';
import { exportCommand, importCommand } from './route-exchange.js';
import { modelCommand } from './route-model.js';

/** The command `route` with its subcommands. */
export function routeCommand(context: CommandContext): Command {
  const route = new Command('route').description('static routes for InfiniBand fat trees: compute tables, evaluate and compare them');
  for (const subcommand of [computeCommand, evaluateCommand, compareCommand, modelCommand, importCommand, exportCommand]) route.addCommand(subcommand(context));
  return route;
}

// weft route: static routes for InfiniBand fabrics. Every subcommand is a file of its own.

import { commandGroup } from '../options/declared-command.js';
import { compareCommand } from './route-compare.js';
import { computeCommand } from './route-compute.js';
import { evaluateCommand } from './route-evaluate.js';
import { exportCommand, importCommand } from './route-exchange.js';
import { modelCommand } from './route-model.js';
import { repairCommand } from './route-repair.js';
import { sourcePortsCommand } from './route-source-ports.js';
import { transitionCommand } from './route-transition.js';

/** The command `route` with its subcommands. */
export default commandGroup(
  'route',
  'static routes for InfiniBand fat trees: compute tables, evaluate and compare them',
  [
    computeCommand,
    evaluateCommand,
    compareCommand,
    importCommand,
    exportCommand,
    modelCommand,
    repairCommand,
    transitionCommand,
    sourcePortsCommand,
  ],
  `
Examples, the way of a fabric that runs (docs/infiniband.md):
  ibnetdiscover > fabric.net; dump_fts > now.lfts
  weft route import --fabric fabric.net --tables now.lfts
  weft route compare --fabric fabric.net --tables now.lfts \\
    --algorithms ftree,weft --traffic jobs.csv --figure loads.svg
  weft route compute --fabric fabric.net --algorithm weft --traffic jobs.csv \\
    --current now.lfts --out new.lfts
  weft route transition now.lfts new.lfts --fabric fabric.net
  weft route repair --fabric broken.net --current new.lfts --out mended.lfts
  weft route export --fabric fabric.net --tables new.lfts --out to-opensm

Without a fabric of one's own: --fabric quartz1 --traffic lulesh`,
);

// `npm run figures`: draws the figures of the pages and writes the tables beside them. `-- --only NAME` makes some of
// them.

import { Option } from 'commander';
import { writeControlTables } from './control-tables.js';
import { writeMiniGhost, writePf3d } from './case-studies.js';
import { drawEthernet } from './ethernet-figure.js';
import { drawIncast } from './incast-figure.js';
import { writeReactionTables } from './reaction-tables.js';
import { programCommand } from '../program-command.js';
import { drawDisturbances } from '../reconstruction/disturbance-curves.js';
import { drawFoundMatrices } from '../reconstruction/found-pictures.js';
import { drawMatrices } from '../reconstruction/matrix-pictures.js';
import { drawScaling } from '../reconstruction/scaling-curve.js';
import { drawReport } from './report-figure.js';
import { drawRoutes } from './route-figures.js';
import { drawSampling } from './sampling-figures.js';
import { drawCases, drawVictim } from './sfc-charts.js';
import { compareBridgeShares, compareReactions } from './sfc-comparison.js';
import { writeExperiments } from './sfc-experiments.js';
import { compareKinds } from './sfc-kinds.js';
import { drawWan } from './wan-figure.js';

const { only } = programCommand('figures', import.meta.url)
  .description(
    'draws the figures of the pages and writes the tables beside them: the incast of examples/incast-127 with every congestion control; the tables of each congestion control; the page of a report; static routes on quartz1; the matrix of examples/wan-dumbbell; what hosts count on examples/sampled-ethernet; the tables of examples/pf3d and examples/minighost; errors of samples and runs of their hash; source flow control: its reactions, its victim, its cases, its reaction times, kinds of traffic and further experiments; errors of reconstruction where counters are disturbed, and scaled; matrices of mini-applications, what bases tell of them, and what is found of them again',
  )
  .addOption(
    new Option('--only <name>', 'make these alone').choices([
      'incast',
      'controls',
      'report',
      'routes',
      'wan',
      'ethernet',
      'pf3d',
      'minighost',
      'sampling',
      'sfc-victim',
      'sfc-reactions',
      'sfc-shares',
      'sfc-cases',
      'sfc-times',
      'sfc-kinds',
      'sfc-experiments',
      'reconstruction-errors',
      'reconstruction-scaling',
      'matrices',
      'found-matrices',
    ]),
  )
  .parse()
  .opts<{ only?: string }>();

if (only === undefined || only === 'incast') await drawIncast();
if (only === undefined || only === 'controls') writeControlTables();
if (only === undefined || only === 'report') await drawReport();
if (only === undefined || only === 'routes') drawRoutes();
if (only === undefined || only === 'wan') await drawWan();
if (only === undefined || only === 'ethernet') await drawEthernet();
if (only === undefined || only === 'pf3d') await writePf3d();
if (only === undefined || only === 'minighost') await writeMiniGhost();
if (only === undefined || only === 'sampling') drawSampling();
if (only === undefined || only === 'sfc-victim') await drawVictim();
if (only === undefined || only === 'sfc-reactions') await compareReactions();
if (only === undefined || only === 'sfc-shares') await compareBridgeShares();
if (only === undefined || only === 'sfc-cases') await drawCases();
if (only === undefined || only === 'sfc-times') writeReactionTables();
if (only === undefined || only === 'sfc-kinds') await compareKinds();
if (only === undefined || only === 'sfc-experiments') writeExperiments();
const say = (text: string): void => {
  process.stderr.write(`${text} …\n`);
};
if (only === undefined || only === 'reconstruction-errors') await drawDisturbances(say);
if (only === undefined || only === 'reconstruction-scaling') await drawScaling(say);
if (only === undefined || only === 'matrices') drawMatrices(say);
if (only === undefined || only === 'found-matrices') await drawFoundMatrices(say);

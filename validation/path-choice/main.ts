// `npm run path-choice`: what a path choice costs and gains, on 128 GPUs; writes docs/models/path-choice.md
// and .csv.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { simulate } from '#weft/app/simulate.js';
import { builtInBackends } from '#weft/backends/catalogue.js';
import { mechanisms } from '#weft/backends/packet/mechanisms.js';
import { packetBackendWith } from '#weft/backends/packet/packet-backend.js';
import { StageProgress } from '#weft/cli/stage-progress.js';
import { MemorySink } from '#weft/records/memory-sink.js';
import { makePlan } from '#weft/scenario/make-plan.js';
import { nodeHost } from '#weft/storage/node-host.js';
import { writeWhole } from '../data-file.js';
import { programCommand } from '../program-command.js';
import { repositoryFolder } from '../repository.js';
import {
  boundOf,
  failedLinks,
  type PathChoice,
  pathChoices,
  scenarioOf,
  traceOf,
  type Traffic,
  traffics,
} from './cases.js';
import { type HeldBack, measuredTransports } from './held-back.js';
import { nameOf, pathChoiceCsv, pathChoicePage, type PathRow } from './page.js';

const page = join(repositoryFolder, 'docs/models/path-choice.md');
const table = join(repositoryFolder, 'docs/models/path-choice.csv');
const { only, json } = programCommand('path-choice', import.meta.url)
  .option('--only <text>', 'runs whose name holds this text, such as "permutation reps"; writes no page')
  .option('--json', 'the rows as one JSON object on stdout')
  .addHelpText('after', '\nExamples:\n  npm run path-choice\n  npm run path-choice -- --only "permutation spray"')
  .parse()
  .opts<{ only?: string; json?: true }>();

const folder = mkdtempSync(join(tmpdir(), 'weft-path-choice-'));
const host = nodeHost();
const held: HeldBack = { peakBytes: 0 };
const packet = packetBackendWith({ ...mechanisms, transports: measuredTransports(mechanisms, held) });
const backends = builtInBackends.map((backend) => (backend.name === packet.name ? packet : backend));

async function run(scenario: string, traffic: Traffic) {
  writeFileSync(join(folder, 'scenario.yaml'), scenario);
  writeFileSync(join(folder, 'trace.csv'), traceOf(traffic));
  const plan = await makePlan(join(folder, 'scenario.yaml'), { host, overrides: [], catalogues: { backends } });
  held.peakBytes = 0;
  const summary = await simulate(plan, { host, sink: new MemorySink() });
  const broken = summary.verdicts.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
  if (broken.length > 0) throw new Error(`${scenario}\n${broken.join('\n')}`);
  return summary;
}

const cases = traffics
  .flatMap((traffic) => failedLinks.flatMap((failed) => pathChoices().map((choice) => ({ traffic, failed, choice }))))
  .filter(({ traffic, choice }) => only === undefined || nameIn(traffic, choice).includes(only));
if (cases.length === 0) {
  process.stderr.write(`no run has a name with ${only}; such as "${nameIn(traffics[0], pathChoices()[0]!)}"\n`);
  process.exit(2);
}
const progress = new StageProgress(process.stderr, () => performance.now());
const rows: PathRow[] = [];
const bounds = new Map<string, number>();
try {
  for (const { traffic, failed, choice } of cases) {
    progress.update(`${rows.length + 1} of ${cases.length}: ${nameIn(traffic, choice)}, ${failed} links down`);
    const key = `${traffic} ${failed}`;
    if (!bounds.has(key)) bounds.set(key, (await run(boundOf(traffic, failed), traffic)).simulatedPs);
    const { simulatedPs, fct, counters } = await run(scenarioOf(traffic, choice, failed), traffic);
    rows.push({
      ...choice,
      traffic,
      failed,
      completionPs: simulatedPs,
      p99Ns: fct.p99Ns,
      heldBytes: held.peakBytes,
      retransmittedPackets: counters['retransmittedPackets'] ?? 0,
      boundPs: bounds.get(key)!,
    });
  }
} finally {
  rmSync(folder, { recursive: true });
}
progress.stop();
if (json === true) process.stdout.write(`${JSON.stringify({ rows })}\n`);
else
  for (const row of rows)
    process.stdout.write(
      `${row.traffic}, ${row.failed} down: ${nameOf(row)} ${row.transport} ${(row.completionPs / row.boundPs).toFixed(3)} of the bound\n`,
    );
if (only === undefined) {
  writeWhole(page, pathChoicePage(rows));
  writeWhole(table, pathChoiceCsv(rows));
  process.stderr.write('written: docs/models/path-choice.md, path-choice.csv\n');
}

function nameIn(traffic: Traffic, choice: PathChoice): string {
  return `${traffic} ${nameOf(choice)} ${choice.transport}`;
}

// `weft worker`: carries out runs that `--on bullmq` has put into a queue, until it is ended.
// Invariant: it says what it refuses, and why; what is under way when it is ended goes back to the queue.

import { InputError } from '../../base/diagnostics.js';
import { travellingModule } from '../engines/task-kinds.js';
import { exitCodeHelp } from '../exit-codes.js';
import { announcer, Interrupt } from '../interrupt.js';
import { declaredCommand, repeated, text, toggle } from '../options/declared-command.js';
import { processesOption, redisOption } from '../options/run-options.js';
import { weftVersion } from '../version.js';

const options = [
  redisOption,
  processesOption('--jobs <count>', 'runs'),
  text('--store <dir>', "folder for files of campaigns meanwhile\n(default: the system's for temporary files)"),
  repeated(
    '--results <dir>',
    'folder below which runs may put results, as their command\nsees it; may be repeated (default: they put none)',
  ),
  toggle('--quiet', 'say nothing but why it ends'),
] as const;

/** The command for the command line. */
export default declaredCommand({
  name: 'worker',
  summary: 'carry out runs of campaigns that a queue in Redis has',
  description: 'Carry out runs that other machines have put into a queue in Redis, until Ctrl-C.',
  options,
  after: `
Examples:
  weft worker --redis redis://queue.example:6379 --jobs 4
  weft sweep s.yaml --seeds 1..1000 --on bullmq --redis redis://queue.example:6379

User and password of Redis: in the URL, or in WEFT_REDIS_USERNAME and
WEFT_REDIS_PASSWORD. A worker runs scenarios and reads the files that came with
them, nothing else (docs/campaigns.md).

${exitCodeHelp}`,
  run: async ({ options: { redis, jobs, store, results, quiet }, context }) => {
    const { stderr, environment, sideBySide } = context;
    if (store === '') throw InputError.about('output-path', '--store', 'the path is empty', { wanted: 'a folder' });
    const { redisAddress, shownAddress } = await import('../../campaign/bullmq/redis.js');
    const { CampaignWorker } = await import('../../campaign/bullmq/bullmq-worker.js');
    const address = redisAddress(redis, environment);
    const count = jobs ?? sideBySide.processes;
    const worker = await CampaignWorker.begin({
      address,
      version: weftVersion(),
      jobs: count,
      store,
      roots: results,
      moduleOf: travellingModule,
      say: (said) => {
        if (!quiet) stderr.write(`note: ${said}\n`);
      },
    });
    const interrupt = new Interrupt(
      announcer(
        stderr,
        () => null,
        () => worker.stop(),
      ),
    );
    try {
      if (!quiet) {
        const runs = count === 1 ? 'one run' : `${count} runs`;
        stderr.write(`weft ${weftVersion()}: ${runs} at a time for ${shownAddress(address)}; Ctrl-C ends it\n`);
      }
      await worker.run();
      return interrupt.exitCode;
    } finally {
      interrupt.close();
      await worker.close();
    }
  },
});

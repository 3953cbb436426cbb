// `weft init`: writes a first scenario, from flags or a few questions.
// Invariants: what is written was read as a plan before; nothing is asked unless both ends are a terminal; nothing is
// replaced without --force.

import { createInterface } from 'node:readline/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { checkJob, firstJobForms, firstScenario, isModel, type ScenarioAnswers } from '../../app/first-scenario.js';
import { InputError } from '../../base/diagnostics.js';
import { wrapped } from '../../report/text-style.js';
import type { CommandContext } from '../context.js';
import { ExitCode, exitCodeHelp } from '../exit-codes.js';
import { namedFamily, parameterDiagnostic } from '../options/family-options.js';
import { declaredCommand, toggle, type OptionValues, text } from '../options/declared-command.js';
import { checkOutputs, forceHelp, writeWholeFile } from '../whole-file.js';

/** Asks somebody at a terminal. */
export interface Asker {
  /** @returns the answer, or null if whoever was asked has gone */
  ask(question: string): Promise<string | null>;
  close(): void;
}

const defaults = { gpus: '128', job: 'gpt3-13b', fabric: 'spectrum-x', size: '1GiB', out: 'my.yaml' } as const;

const options = [
  text('--gpus <number>', 'how many GPUs'),
  text('--job <name>', 'what runs: a model, a collective or a pattern of\ntransfers (permutation, incast)'),
  text('--fabric <family>', `a family of weft topology list (default ${defaults.fabric})`),
  text('--gpu-type <name>', "model of the GPUs (default: the family's)"),
  text('--size <size>', `of a collective, or of each transfer (default ${defaults.size})`),
  text('-o, --out <file>', `the scenario (default ${defaults.out})`),
  toggle('--force', forceHelp),
] as const;
type InitOptions = OptionValues<typeof options>;

/** The command for the command line. @param asker null: there is nobody to ask */
export default function initCommand(context: CommandContext, asker: () => Asker | null = terminalAsker): Command {
  return declaredCommand({
    name: 'init',
    summary: 'write a first scenario',
    description: 'Write a scenario that runs, from flags, or from a few questions on a terminal.',
    options,
    after: `
Examples:
  weft init
  weft init --gpus 128 --job gpt3-13b --out my.yaml
  weft init --gpus 64 --job allreduce --size 256MiB --fabric leaf-spine

A model is divided so that it fits the memory of its GPUs.

${exitCodeHelp}`,
    run: ({ options: given }) => writeFirst(given, context, asker),
  })(context);
}

/** @returns the exit code @throws InputError, OutputError */
async function writeFirst(options: InitOptions, context: CommandContext, asker: () => Asker | null): Promise<number> {
  const isWhole = options.gpus !== undefined && options.job !== undefined;
  const given = isWhole ? options : await asked(options, asker());
  if (given === null) {
    context.stderr.write('stopped: nothing was written\n');
    return ExitCode.interrupted;
  }
  const { out = defaults.out, force } = given;
  const answers = answersOf(given);
  await checkOutputs([out], force, true);
  await writeWholeFile(out, await runnable(answers, out, context), force);
  const shown = /\s/.test(out) ? `'${out}'` : out;
  // as it was called: npx puts no program into the path of the shell
  const program = context.environment['npm_command'] === 'exec' ? 'npx weft' : 'weft';
  const other = answers.fabric === 'leaf-spine' ? 'spectrum-x' : 'leaf-spine';
  context.stdout.write(
    `${out}: ${answers.job} on ${answers.gpus} GPUs of ${answers.fabric}\nNext, with another fabric, the ` +
      `reasons and a bill:\n  ${program} compare-fabrics ${shown} --fabrics ${shown} ${other}\nOr alone:\n  ` +
      `${program} run ${shown}\n`,
  );
  return ExitCode.ok;
}

/** The options, with what was asked; null if there was no answer. @throws InputError if there is nobody to ask */
async function asked(options: InitOptions, asker: Asker | null): Promise<InitOptions | null> {
  if (asker === null)
    throw InputError.about(
      'init-missing',
      options.gpus === undefined ? '--gpus' : '--job',
      'is missing, and there is no terminal to ask at',
      {
        wanted: options.gpus === undefined ? 'how many GPUs' : firstJobForms,
        hint: `weft init --gpus ${options.gpus ?? defaults.gpus} --job ${options.job ?? defaults.job} --out ${options.out ?? defaults.out}`,
      },
    );
  const answers: { -readonly [K in keyof InitOptions]: InitOptions[K] } = { ...options };
  const questions = [
    ['gpus', 'How many GPUs?'],
    ['job', `${wrapped(`What runs: ${firstJobForms}?`).join('\n')}\n`],
    ['fabric', 'Which fabric (weft topology list names them)?'],
    ['out', 'Into which file?'],
  ] as const;
  try {
    for (const [key, question] of questions) {
      if (answers[key] !== undefined) continue;
      const answer = await asker.ask(`${question}${question.endsWith('\n') ? '' : ' '}[${defaults[key]}] `);
      if (answer === null) return null;
      answers[key] = answer.trim() === '' ? defaults[key] : answer.trim();
      // told at once, not after the last question
      if (key === 'job') checkJob(answers[key]);
      if (key === 'gpus') gpusOf(answers[key]);
    }
  } finally {
    asker.close();
  }
  return answers;
}

/** @throws InputError */
function answersOf({ gpus = defaults.gpus, job = defaults.job, fabric, gpuType, size }: InitOptions): ScenarioAnswers {
  checkJob(job);
  if (size !== undefined && isModel(job))
    throw InputError.about('init-size', '--size', 'a model has sizes of its own', {
      got: size,
      wanted: 'a collective or a pattern of transfers with --size',
    });
  return {
    gpus: gpusOf(gpus),
    job,
    fabric: fabric ?? defaults.fabric,
    gpuType: gpuType ?? null,
    size: size ?? defaults.size,
  };
}

function gpusOf(text: string): number {
  const gpus = Number(text);
  if (!/^\d+$/.test(text) || gpus < 2 || gpus > 1e6)
    throw InputError.about('init-gpus', '--gpus', 'not a number of GPUs', {
      got: text,
      wanted: 'a whole number from 2 to 1000000',
    });
  return gpus;
}

/** The first text that can be run. @throws InputError if none can */
function runnable(answers: ScenarioAnswers, out: string, context: CommandContext): Promise<string> {
  const { host } = context;
  const words = { named: (name: string) => namedFamily(name, '--fabric'), problem: parameterDiagnostic };
  return firstScenario(answers, words, async (scenario) => {
    const readText: typeof host.readText = (path) =>
      resolve(path) === resolve(out) ? Promise.resolve(scenario) : host.readText(path);
    const plan = await context.makePlan(out, { overrides: [], host: { ...host, readText } });
    await plan.source.close();
  });
}

/** At the terminal; null unless input and output are one. */
function terminalAsker(): Asker | null {
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) return null;
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const gone = new Promise<null>((done) => lines.once('close', () => done(null)));
  return {
    ask: (question) => Promise.race([lines.question(question), gone]),
    close: () => lines.close(),
  };
}

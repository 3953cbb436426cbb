// weft analyze flows: one line per finished flow with its path, as export_flow_csv.py of the central-controller
// document (docs/SOURCES.md), §8, writes it.

import { Command } from 'commander';
import { grouped } from '../../report/text-style.js';
import type { RunReader } from '../../storage/run-reader.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { forceHelp, writeStreamedFile } from '../whole-file.js';
import { addFileOptions, namedRuns, refuseInputs, type FileOptions } from './analyze-options.js';
import { hopsOf, isChosenPort, spinesOf, storedFlows, switchesOf, type FlowHops } from './joined-flows.js';

interface FlowOptions extends FileOptions {
  readonly out?: string;
  readonly force?: boolean;
}

/** The first line of flows.csv, with its newline. */
export const flowsHeader = 'flow_id,src_gpu,dst_gpu,sport,spine_switch,hops,fct_ns,slowdown,cc_assigned\n';

const rowsPerPiece = 4096;

/** The command `flows`. */
export function flowsCommand(context: CommandContext): Command {
  return refuseRepeats(
    addFileOptions(
      new Command('flows')
        .description('flows.csv: of every finished flow GPUs, port, spine, time, slowdown')
        .argument('[run]', 'folder of weft run --out'),
    )
      .option('--out <file>', 'write it to this file; without it, print')
      .option('--force', forceHelp)
      .addHelpText(
        'after',
        `
Examples:
  weft analyze flows results --out flows.csv
  weft analyze flows --fct cc/fct.txt --paths cc/paths.csv --out cc/flows.csv

${flowsHeader}
fct_ns and slowdown (over the estimate alone) are completion times; cc_assigned
says whether the controller chose the port. docs/formats/flows-csv.md`,
      )
      .action(async (path: string | undefined, options: FlowOptions, command: Command) => {
        const runs = await namedRuns(path === undefined ? [] : [path], options, command);
        if (runs.length > 1)
          refuseInputs(command, 'more than one run', `give one of ${runs.map(({ shown }) => shown).join(', ')}`);
        const pieces = flowsCsvPieces(runs[0]!);
        if (options.out === undefined) for await (const piece of pieces) context.stdout.write(piece);
        else {
          let lines = -1;
          const counted = async function* (): AsyncGenerator<string> {
            for await (const piece of pieces) {
              for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) lines++;
              yield piece;
            }
          };
          await writeStreamedFile(options.out, counted(), options.force === true);
          context.stdout.write(`${options.out}: ${grouped(lines)} flows\n`);
        }
        context.endWith(ExitCode.ok);
      }),
  );
}

/** The lines of flows.csv, header first, by number of the flow. @throws InputError, HostFileError */
export async function* flowsCsvPieces(run: RunReader): AsyncGenerator<string> {
  const flows = await storedFlows(run);
  const hops: FlowHops | null = run.tables.has('hops') ? await hopsOf(run, flows) : null;
  let text = flowsHeader;
  for (let flow = 0; flow < flows.flows; flow++) {
    const switches = hops === null ? 0 : switchesOf(hops, flow);
    const spines = hops === null ? [] : spinesOf(hops, flow, switches);
    const completionPs = flows.finishPs[flow]! - flows.startPs[flow]!;
    const idealPs = flows.idealPs[flow]!;
    text += `${[
      flows.flowId[flow]!,
      flows.source[flow]!,
      flows.destination[flow]!,
      flows.sourcePort[flow]!,
      spines.join('+'),
      hops === null ? '' : switches,
      Math.round(completionPs / 1000),
      idealPs > 0 ? (completionPs / idealPs).toFixed(4) : '',
      isChosenPort(run, flows.sourcePort[flow]!),
    ].join(',')}\n`;
    if ((flow + 1) % rowsPerPiece === 0) {
      yield text;
      text = '';
    }
  }
  if (text !== '') yield text;
}

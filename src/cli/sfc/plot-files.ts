// The pictures of `weft sfc --plot`.

import type { Command } from 'commander';
import { feasibleFigure, sawtoothFigure } from '../../report/sfc/sfc-figures.js';
import { knowsCourse, type SfcCase } from '../../report/sfc/sfc-report.js';
import { recommend } from '../../source-flow-control/recommendation.js';
import { chartFiles } from '../report/report-files.js';
import { writeWholeFiles } from '../whole-file.js';

/**
 * Draws feasible region and sawtooth into a folder; what is not given is as recommended. @throws InputError,
 * OutputError
 */
export async function plotFiles({ values }: SfcCase, folder: string, force: boolean, command: Command): Promise<void> {
  const whole = { ...recommend(values), ...values };
  if (!knowsCourse(whole))
    command.error(
      'error: too little is known to draw\n  hint:   give --bandwidth, --senders, --alpha, --rtt, --t1 and --t2, or --preset',
    );
  const pfc = values.pfcThresholdBytes ?? null;
  const files = await chartFiles([feasibleFigure(whole, pfc), sawtoothFigure(whole, pfc)], [], { svg: folder });
  await writeWholeFiles([...files.values()].flat(), force, folder);
}

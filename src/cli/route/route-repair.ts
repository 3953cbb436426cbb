// weft route repair: tables in use after something failed, with new entries only where they lead no more.

import { repairRoutes } from '../../app/routes/repair-routes.js';
import { lftTexts } from '../../formats/opensm-lfts-writer.js';
import { pathRecordTexts } from '../../formats/opensm-path-records.js';
import { levelZero } from '../../routing/route-lanes.js';
import { repairedLines, repairedObject } from '../../report/routes/computed-routes-text.js';
import { required, text } from '../options/declared-command.js';
import { routeCommandOf } from './route-command.js';
import { judgedScope, outOption } from './route-options.js';

/** The command `route repair`. */
export const repairCommand = routeCommandOf({
  name: 'repair',
  description: 'mend tables in use after links or switches failed, changing as little as possible',
  options: [
    ...judgedScope,
    required(text('--current <file>', 'tables in use: opensm-lfts.dump, or what dump_lfts or ibroute print')),
    outOption,
    text('--lanes-out <file>', 'write the service level of every pair of hosts (path records): its lane'),
  ],
  help: `Examples:
  weft route repair --fabric broken.net --current now.lfts --out new.lfts
  weft route repair --fabric broken.net --current now.lfts \\
    --traffic jobs.csv --json
  weft route repair --fabric fabric.net --failed-links 1% --current now.lfts
    (what if)

--fabric is what ibnetdiscover prints now, --current are the tables from before.
Entries that still lead to their host stay; the others take a shortest way,
over links that carry the least for their rate. On trees it goes up and down
and cannot deadlock; elsewhere, and for detours, give hosts the levels of
--lanes-out. With --traffic, more entries change where that clearly helps.
Then: weft route transition now.lfts new.lfts --fabric broken.net`,
  run: async (request, host) => {
    const repaired = await repairRoutes(request, host);
    const fromSeconds = host.cpuSeconds();
    const writeSeconds = (): number => host.cpuSeconds() - fromSeconds;
    return {
      texts: {
        out: lftTexts(repaired.source, repaired.made.tables),
        lanesOut: pathRecordTexts(repaired.source, repaired.made.lanes ?? levelZero),
      },
      object: (files) => repairedObject(repaired, writeSeconds(), files),
      lines: (files) => repairedLines(repaired, writeSeconds(), files),
      warnings: repaired.warnings,
      failed: !repaired.verdicts.every(({ ok }) => ok),
    };
  },
});

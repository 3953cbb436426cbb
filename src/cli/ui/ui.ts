// `weft ui`: the application for this machine, served to this machine alone, until Ctrl-C.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { announcer, Interrupt } from '../interrupt.js';
import { declaredCommand, toggle, value } from '../options/declared-command.js';
import { wholeNumberFrom } from '../options/option-values.js';
import { processesOption } from '../options/run-options.js';
import { weftVersion } from '../version.js';
import { NamedPlaces } from './named-places.js';
import { openBrowser } from './open-browser.js';
import { siteFiles } from './site-files.js';
import { UiServer } from './ui-server.js';
import { UiWork } from './ui-work.js';

const options = [
  value('--port <number>', 'on which it listens; 0: any that is free', wholeNumberFrom(0, 65_535), 0),
  processesOption('--jobs <count>', 'runs'),
  toggle('--print-url', 'print the link to the page, and nothing else'),
  toggle('--no-open', 'open no browser'),
] as const;

/** The command for the command line. */
export default declaredCommand({
  name: 'ui',
  summary: 'runs and scenarios of this machine in a page of the browser',
  description:
    'Show runs, and run scenarios, in a page of the browser, until Ctrl-C.\nThe page is served to this machine alone; ' +
    'whoever has its link may read what is\nnamed here.',
  argument: [
    '[run-or-scenario...]',
    'folders of weft run --out, folders that hold such (weft sweep\n--keep-runs), and scenarios',
  ],
  options,
  after: `
Examples:
  weft run examples/server-pair/controller.yaml --out results
  weft ui results
  weft ui scenario.yaml results --port 8800 --no-open

Files that a scenario names are read within the folders named here, and that of
a scenario that is named. On another machine: ssh -L 8800:127.0.0.1:8800 HOST,
and there weft ui --port 8800 --no-open. What the page shows: docs/site.md.`,
  run: async ({ argument = [], options: { port, jobs, printUrl, open }, context }) => {
    const { stdout, stderr, environment, sideBySide } = context;
    const work = new UiWork(jobs ?? sideBySide.processes);
    const token = randomBytes(32).toString('base64url');
    const content = { token, work, places: await NamedPlaces.of(argument), files: await siteFiles('machine') };
    const server = await UiServer.begin(port, content);
    const stop = new AbortController();
    const interrupt = new Interrupt(
      announcer(
        stderr,
        () => null,
        () => stop.abort(),
      ),
    );
    try {
      const url = `http://127.0.0.1:${server.port}/#token=${token}`;
      stdout.write(printUrl ? `${url}\n` : `weft ${weftVersion()}: ${url}\nCtrl-C ends it\n`);
      if (open && !(await openBrowser(url, environment)))
        stderr.write('note: no browser was found; open the link yourself\n');
      if (!stop.signal.aborted) await once(stop.signal, 'abort');
      return interrupt.exitCode;
    } finally {
      interrupt.close();
      await server.close();
    }
  },
});

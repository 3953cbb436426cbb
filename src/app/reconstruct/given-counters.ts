// Where counters come from: files, or traffic that is given, makes them, and is the truth then.

import { InputError } from '../../base/diagnostics.js';
import type { ReconstructionRequest } from './reconstruction-request.js';
import { refuseGiven, type GivenOption } from '../routes/unused-options.js';

/** @throws InputError unless counters are given, or traffic that makes them */
export function checkSource(request: ReconstructionRequest): void {
  const { traffic, counters, before, interfaces, missing, skew, lanes = 1, classes = 1 } = request;
  const { pathRecords, sl2vl, strategy, serviceLevels } = request;
  if ((traffic === undefined) === (counters === undefined))
    throw InputError.about(
      'which-counters',
      '--counters',
      counters === undefined ? 'there are no counters' : 'there are counters, and traffic that would make others',
      {
        wanted: '--counters FILE, or --traffic PATTERN|FILE, which makes them',
        hint: 'with --counters, --truth names traffic to compare with',
      },
    );
  if (request.truth !== undefined && traffic !== undefined)
    throw InputError.about('unused-option', '--truth', 'traffic that is given is the truth', {
      hint: 'leave out --truth, or give --counters FILE in place of --traffic',
    });
  if (before !== undefined && counters === undefined)
    throw InputError.about('missing-counters', '--before', 'the counters from afterwards are missing', {
      hint: 'add --counters FILE',
    });
  if (interfaces !== undefined && counters === undefined)
    throw InputError.about('unused-option', '--interfaces', 'there are no interface counters', {
      hint: 'add --counters FILE',
    });
  checkSplit(request);
  if (request.floor !== undefined && counters === undefined)
    throw InputError.about('unused-option', '--floor', 'counters that are made have nothing of management', {
      hint: 'add --counters FILE in place of --traffic',
    });
  const needsTraffic = missing !== undefined ? '--missing' : skew !== undefined ? '--skew' : null;
  if (counters !== undefined && needsTraffic !== null)
    throw InputError.about('unused-option', needsTraffic, 'it disturbs counters that are made, and these are read', {
      hint: 'say with --noise how far they are from exact; counters that were not read are left out as it is',
    });
  for (const [option, own] of [
    ['--path-records', pathRecords],
    ['--sl2vl', sl2vl],
  ] as const)
    if (own !== undefined && lanes === 1)
      throw InputError.about('missing-lanes', option, 'how many lanes do counters tell apart?', {
        hint: 'add --lanes COUNT',
      });
  if (classes > 1 && lanes === 1)
    throw InputError.about('missing-lanes', '--classes', 'on one lane counters do not tell classes apart', {
      hint: 'add --lanes COUNT',
    });
  checkMethod(request);
  if (request.drawBases === true && request.figure !== true)
    throw InputError.about('unused-option', '--draw-bases', 'there is no picture', { hint: 'add --figure FILE' });
  if (request.drawBases === true && classes > 1)
    throw InputError.about('unused-option', '--draw-bases', 'each class of service would need pictures of its own', {
      got: `${classes} classes`,
      hint: 'leave out --draw-bases, or --classes',
    });
  if (sl2vl !== undefined && strategy !== undefined)
    throw InputError.about('unused-option', '--strategy', 'SL2VL tables say the lanes', {
      got: strategy,
      hint: 'leave --strategy out, or --sl2vl',
    });
  if (pathRecords !== undefined && serviceLevels !== undefined)
    throw InputError.about('unused-option', '--service-levels', 'path records say the levels', {
      hint: 'leave --service-levels out, or --path-records',
    });
}

/** @throws InputError if switches do not choose, or choose as nobody knows */
function checkSplit({ tables, counters, lanes = 1, split, splitPorts }: ReconstructionRequest): void {
  if (split !== undefined && tables !== 'ecmp')
    throw InputError.about('unused-option', '--split', 'by tables each switch has one port for a destination', {
      got: split,
      wanted: '--split with --tables ecmp',
      hint: 'leave --split out: the tables say all',
    });
  if (split === 'waits' && counters === undefined)
    throw InputError.about('unused-option', '--split', 'counters that are made do not wait', {
      got: split,
      wanted: '--split equal, or --counters FILE',
      hint: 'take --split equal for counters that --traffic makes',
    });
  if (splitPorts !== undefined && split === undefined)
    throw InputError.about('unused-option', '--split-ports', 'how do switches split over these ports?', {
      got: String(splitPorts),
      wanted: '--split equal as well',
      hint: 'add --split equal, or leave --split-ports out',
    });
  if (tables === 'ecmp' && lanes > 1 && split === undefined)
    throw InputError.about('unused-option', '--lanes', 'switches that hash have no lanes of pairs', {
      got: String(lanes),
      wanted: 'no --lanes with --tables ecmp, or --split as well',
      hint: 'add --split equal where switches are known to split alike',
    });
}

/** @throws InputError if a method cannot do what is asked of it */
function checkMethod({ method, noise = 0, start, mostWork, traceFigure, drawBases }: ReconstructionRequest): void {
  if (method !== 'exact') return;
  const own: readonly GivenOption[] = [
    ['--noise', noise > 0 && noise, 'within their noise counters are met by first-order steps alone'],
    ['--start', start !== undefined, 'an exact search begins anywhere'],
    ['--work', mostWork, 'an exact search has no steps'],
    ['--trace-figure', traceFigure, 'an exact search has no steps to draw'],
    ['--draw-bases', drawBases, 'a solver tells the sum of all bases alone'],
  ];
  refuseGiven(own, 'it is for first-order steps', 'leave it out, or take --method first-order');
}

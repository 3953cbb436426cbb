// The environment variables of SimAI and of its central controller, for runs from a SimAI.conf: aliases of settings, or
// a reason why there is nothing to do. Invariant: none of them is passed over in silence, unless it asks for what Weft
// does anyway or is empty; one that would change results by what the document says of it, and cannot, is an error.
// Source: the communication-stack document, section 8, and the central-controller document (docs/SOURCES.md); what
// SimAI 1.6 reads of them.

import { addTo } from '../../../base/lists-by-key.js';
import { Section } from '../../form/section.js';
import { wholeFile, type Diagnostic } from '../../../base/diagnostics.js';
import { errorAt, variablePlace, warningAt, writeSetting, type Place } from '../../form/located.js';
import { nearest } from '../../suggest.js';

/** Variables by name, of which a run from a conf listens to those below. */
export type ConfEnvironment = Readonly<Record<string, string | undefined>>;

/** A variable that gives a setting. */
interface Alias {
  readonly setting: string;
  readonly wanted: string;
  /** for the documentation: what it does, and what its absence means */
  readonly does: string;
  /** null if the text is not of the form */
  valueOf(text: string): string | number | boolean | null;
  /** what it is in this run instead: another alias, or nothing, with the reason; null: itself */
  readonly instead?: (run: ConfRun, text: string) => Alias | Explained | null;
  /** what else it gives */
  readonly also?: Alias;
}

/** A variable that gives nothing. */
interface Explained {
  readonly reason: string;
  /** for the documentation: what the command line does with it, before this is asked */
  readonly does?: string;
  /** with these values it asks for what Weft does anyway */
  readonly asHere?: readonly string[];
  /** it would change results by what the document says of it: an error, with what to do instead of it */
  readonly instead?: string;
}

/** What a run from a conf has, as far as variables depend on it. */
export interface ConfRun {
  readonly hasWorkload: boolean;
  /** of collectives: SimAI's, unless --set says another */
  readonly profile: string;
}

const flag = (text: string): boolean | null => (text === '1' ? true : text === '0' ? false : null);
const singleTransfers: Explained = { reason: 'a trace has single transfers, and no collectives', asHere: ['0'] };
/** nvls_enable of the document, 6.9: NVSwitch tables within servers, or the ordinary ones */
const tables: Alias = {
  setting: 'routing.withinServers',
  wanted: '0 or 1',
  does: '',
  valueOf: (text) => (text === '1' ? 'nvlink' : text === '0' ? 'network' : null),
};
const nvls: Alias = { setting: 'collectives.nvls', wanted: '0 or 1', does: '', valueOf: flag };
const nvswitchTables: Explained = { reason: 'transfers within a server go by NVSwitch', asHere: ['1'] };
const withWorkload = ({ hasWorkload }: ConfRun): Explained | null => (hasWorkload ? null : singleTransfers);
const oneChannelPerGpu = 'SimAI 1.6 does not read it: its rings have as many channels as a server has GPUs';

export const environmentVariables: Readonly<Record<string, Alias | Explained>> = {
  CC_ENABLE: {
    setting: 'controller.enabled',
    wanted: '0 or 1',
    does: '`1` or `0`: `controller.enabled`. Without it the controller is off',
    valueOf: flag,
  },
  AS_SEND_LAT: {
    setting: 'sendLatency',
    wanted: 'a whole number of microseconds',
    does: 'microseconds, a whole number: `sendLatency`. Without it 0 (SimAI: 6 ms for each flow, which its `fct.txt` leaves out)',
    valueOf: (text) => (/^\d{1,9}$/.test(text) ? `${Number(text)}us` : null),
  },
  AS_NVLS_ENABLE: {
    setting: 'collectives.nvls',
    wanted: '0 or 1',
    does:
      'with a workload: `1` or `0`: `collectives.nvls`. Without it 0, as in SimAI. With a trace, and with `--set ' +
      'collectives.profile=document`, `0` also chooses the ordinary tables within servers, over NICs, and `1` ' +
      'those of NVSwitches: `routing.withinServers`. SimAI 1.6 takes NVSwitches whatever it says, and so does ' +
      'profile `simai`',
    valueOf: flag,
    instead: ({ hasWorkload, profile }, text) => {
      if (!hasWorkload) return text === '1' ? nvswitchTables : tables;
      return profile === 'document' ? { ...nvls, also: tables } : null;
    },
  },
  AS_PXN_ENABLE: {
    setting: 'collectives.pxn',
    wanted: '0 or 1',
    does: 'with a workload: `1` or `0`: `collectives.pxn`. Without it 0, as in SimAI',
    valueOf: flag,
    instead: withWorkload,
  },
  AS_RING_CHANNELS: {
    setting: 'collectives.channels',
    wanted: 'a whole number from 1 to 64',
    does: `with a workload and \`--set collectives.profile=document\` (or \`nccl\`): \`collectives.channels\`. Otherwise refused: ${oneChannelPerGpu}`,
    valueOf: (text) => (/^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= 64 ? Number(text) : null),
    instead: ({ hasWorkload, profile }) =>
      !hasWorkload
        ? singleTransfers
        : profile === 'simai'
          ? { reason: oneChannelPerGpu, instead: 'add --set collectives.profile=document, which heeds it' }
          : null,
  },
  AS_NV_CHANNELS: {
    reason: oneChannelPerGpu,
    instead: 'add --set collectives.profile=document --set collectives.channels=NUMBER',
  },
  AS_NVLSTREE_ENABLE: {
    reason: 'SimAI 1.6 does not read it; collectives.profile document and nccl choose NVLS-tree by themselves',
    asHere: ['0'],
    instead: 'add --set collectives.profile=document, or nccl',
  },
  CC_LOG_FILE: {
    reason: 'weft run alone writes it',
    does:
      'the paths of all flows are also written to this file, in the form of ' +
      '[paths.csv](run-directory.md#pathscsv), with `--out` or without; an earlier such file is replaced',
  },
  TRACE_INJECT_FILE: {
    reason: '--trace names the trace',
    does: 'the trace, as `--trace`; with a workload it takes its place, as in the source. `--trace` wins',
  },
  AS_GPU_TYPE: {
    reason: 'the topology file says it',
    instead: 'write the GPU into the first line of the topology file',
  },
  AS_NET_BW: { reason: 'the topology file says it', instead: 'write the rates into the links of the topology file' },
  AS_SIM_THREADS: { reason: 'a run uses one thread', asHere: ['1'] },
  AS_LOG_LEVEL: { reason: 'there is no log; see --quiet' },
};

/** Says that SimAI's variables do nothing in its analytical form; null if none is set. */
export function analyticalVariablesNote(environment: ConfEnvironment): Diagnostic | null {
  const names = Object.keys(environmentVariables).filter((name) => (environment[name]?.trim() ?? '') !== '');
  if (names.length === 0) return null;
  return {
    severity: 'warning',
    code: 'environment',
    file: 'environment',
    ...wholeFile,
    message: `${names.join(', ')} ${names.length === 1 ? 'does' : 'do'} nothing here: the analytical form reads no variable, as in SimAI`,
  };
}

const placeOfVariable = (name: string): Place => ({ file: `${variablePlace}${name}`, line: 0, column: 0 });

/** The variables that are set, with their texts and what they mean in this run. */
function given(
  environment: ConfEnvironment,
  run: ConfRun,
): [name: string, text: string, variable: Alias | Explained][] {
  return Object.entries(environmentVariables).flatMap(([name, variable]): [string, string, Alias | Explained][] => {
    const text = environment[name]?.trim() ?? '';
    if (text === '') return [];
    const meant = 'setting' in variable ? (variable.instead?.(run, text) ?? variable) : variable;
    const also = 'setting' in meant ? meant.also : undefined;
    return also === undefined
      ? [[name, text, meant]]
      : [
          [name, text, meant],
          [name, text, also],
        ];
  });
}

/** Whether a variable that gives nothing is an error, and not a warning. */
function isRefused({ instead, asHere }: Explained, text: string): boolean {
  return instead !== undefined && asHere?.includes(text) !== true;
}

/** Writes what the environment says. An empty variable says nothing. */
export function applyEnvironment(block: Section, environment: ConfEnvironment, run: ConfRun): void {
  for (const [name, text, variable] of given(environment, run)) {
    const place = placeOfVariable(name);
    if (!('setting' in variable)) {
      if (isRefused(variable, text))
        errorAt(block.diagnostics, 'environment', place, `${name} cannot change anything here: ${variable.reason}`, {
          got: text,
          wanted: `${name} unset${variable.asHere === undefined ? '' : ` or ${variable.asHere.join(', ')}`}`,
          hint: variable.instead!,
        });
      continue;
    }
    const { setting, wanted } = variable;
    const value = variable.valueOf(text);
    if (value === null)
      errorAt(block.diagnostics, 'environment', place, `${name} is not ${wanted}`, {
        got: text,
        wanted,
        hint: `unset ${name}`,
      });
    else writeSetting(block.root, setting, value, place, place, text);
  }
}

/**
 * Says which settings came from the environment, which of them --set replaced, and, in one warning, why other variables
 * do nothing.
 */
export function noteEnvironment(block: Section, environment: ConfEnvironment, run: ConfRun): void {
  const byReason = new Map<string, string[]>();
  for (const [name, text, variable] of given(environment, run)) {
    if ('setting' in variable) {
      const value = variable.valueOf(text);
      if (value === null) continue;
      const place = placeOfVariable(name);
      const counts = block.node(...variable.setting.split('.'))?.place.file === place.file;
      warningAt(
        block.diagnostics,
        'environment',
        place,
        counts
          ? `${variable.setting} is ${value}, because ${name} is ${text}`
          : `${name} is ignored: --set gives ${variable.setting}`,
      );
    } else if (variable.asHere?.includes(text) !== true && !isRefused(variable, text))
      addTo(byReason, variable.reason, name);
  }
  for (const name of Object.keys(environment)) {
    if (!/^(AS|CC)_/.test(name) || Object.hasOwn(environmentVariables, name)) continue;
    const meant = nearest(name, Object.keys(environmentVariables));
    // other programs have variables that begin like this, too
    if (meant !== null) addTo(byReason, `did you mean ${meant}?`, name);
  }
  if (byReason.size === 0) return;
  const texts = [...byReason].map(
    ([reason, names]) => `${names.join(', ')} ${names.length === 1 ? 'does' : 'do'} nothing here: ${reason}`,
  );
  warningAt(block.diagnostics, 'environment', { file: 'environment', line: 0, column: 0 }, texts.join('; '));
}

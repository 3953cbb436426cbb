// The monitors of a SimAI.conf as probes: a file that is named asks for its probe, the interval beside it says how
// often. SimAI 1.6 has the monitors and never starts them; here they do what its documentation says. The files have
// their names here whatever the conf calls them, because they stand in the folder of the run.

import type { ConfEntry } from '../../../formats/simai-conf.js';
import { placeIn, warningAt } from '../../form/located.js';
import type { ConfTree } from './conf-thresholds.js';

interface Monitor {
  readonly fileKey: string;
  readonly intervalKey: string;
  /** SimAI's, in microseconds */
  readonly defaultInterval: string;
  readonly setting: string;
}

const monitors: readonly Monitor[] = [
  {
    fileKey: 'QLEN_MON_FILE',
    intervalKey: 'QLEN_MON_INTERVAL',
    defaultInterval: '10000',
    setting: 'probes.queueInterval',
  },
  {
    fileKey: 'BW_MON_FILE',
    intervalKey: 'BW_MON_INTERVAL',
    defaultInterval: '10000',
    setting: 'probes.bandwidthInterval',
  },
  { fileKey: 'RATE_MON_FILE', intervalKey: 'QP_MON_INTERVAL', defaultInterval: '100', setting: 'probes.rateInterval' },
  {
    fileKey: 'CNP_MON_FILE',
    intervalKey: 'QP_MON_INTERVAL',
    defaultInterval: '100',
    setting: 'probes.notificationInterval',
  },
];

/** Writes the settings of the probes that the conf asks for. @param write a setting, at the place of an entry */
export function writeMonitors(
  { file, entries, diagnostics }: ConfTree,
  write: (entry: ConfEntry, path: string, value: string | boolean) => void,
): void {
  const fileNamed = (key: string): ConfEntry | undefined => {
    const entry = entries.get(key);
    if (entry === undefined || entry.values.length > 0) return entry;
    warningAt(diagnostics, 'conf-ignored', placeIn(file, entry), `${key} is ignored: it names no file`);
    return undefined;
  };
  const frames = fileNamed('PFC_OUTPUT_FILE');
  if (frames !== undefined) write(frames, 'probes.pfcEvents', true);
  for (const { fileKey, intervalKey, defaultInterval, setting } of monitors) {
    const named = fileNamed(fileKey);
    const interval = entries.get(intervalKey);
    if (named !== undefined) write(interval ?? named, setting, `${interval?.values[0]!.text ?? defaultInterval}us`);
  }
  for (const intervalKey of new Set(monitors.map((monitor) => monitor.intervalKey))) {
    const interval = entries.get(intervalKey);
    const files = monitors.filter((monitor) => monitor.intervalKey === intervalKey).map(({ fileKey }) => fileKey);
    if (interval !== undefined && !files.some((key) => entries.has(key)))
      warningAt(
        diagnostics,
        'conf-ignored',
        placeIn(file, interval),
        `${intervalKey} is ignored: ${files.join(' and ')} ${files.length === 1 ? 'is' : 'are'} not given, so nothing is recorded`,
      );
  }
}

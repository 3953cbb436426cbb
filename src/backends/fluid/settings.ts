// The settings that the fluid backend brings.

import { choice, type SettingGroup } from '../../base/settings.js';
import { streamModes } from '../../collectives/streams.js';

export const fluidSettings = {
  streams: choice(
    streamModes,
    'auto',
    'collectives of many steps as one stream from each place to each: far fewer transfers; auto: if the jobs ' +
      'have 1,024 ranks or more, or would be a million transfers step by step',
  ),
} as const satisfies SettingGroup;

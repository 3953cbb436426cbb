// Source flow control: the buffer's sawtooth while its quantities move, by the closed form.

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { formatSizeBytes, formatTimePs } from '#weft/base/units.js';
import { sawtoothFigure } from '#weft/report/sfc/sfc-figures.js';
import { sawtooth } from '#weft/source-flow-control/buffer-course.js';
import { conditions, increaseBytes } from '#weft/source-flow-control/conditions.js';
import { presets } from '#weft/source-flow-control/presets.js';
import { recommend } from '#weft/source-flow-control/recommendation.js';
import { quantities } from '#weft/source-flow-control/quantities.js';
import { Figures, Slider } from './fields.js';
import { LineChart } from './line-chart.js';

const psPerUs = 1e6;
const begin = presets['high-performance-data-center']!.values;
const bandwidthGbps = signal(begin.bandwidthBps! / 1e9);
const senders = signal(begin.senders!);
const alpha = signal(begin.alpha!);
const rttUs = signal(begin.rttPs! / psPerUs);
const t1Us = signal(begin.t1Ps! / psPerUs);
const t2Us = signal(begin.t2Ps! / psPerUs);
/** the threshold of the source's example */
const sfcKilobytes = signal(1000);
const pfcKilobytes = signal(1620);
const pauseUs = signal(20);

function size(bytes: number): string {
  return formatSizeBytes(Math.round(bytes));
}

function time(ps: number): string {
  return formatTimePs(Math.round(ps));
}

function us(value: number): string {
  return `${value} us`;
}

function kilobytes(value: number): string {
  return size(value * 1e3);
}

function values(): Parameters<typeof increaseBytes>[0] &
  Parameters<typeof sawtooth>[0] & { pfcThresholdBytes: number } {
  return {
    bandwidthBps: bandwidthGbps.value * 1e9,
    senders: senders.value,
    alpha: alpha.value,
    rttPs: rttUs.value * psPerUs,
    t1Ps: t1Us.value * psPerUs,
    t2Ps: t2Us.value * psPerUs,
    sfcThresholdBytes: sfcKilobytes.value * 1e3,
    pfcThresholdBytes: pfcKilobytes.value * 1e3,
    pausePs: pauseUs.value * psPerUs,
  };
}

/** Sets thresholds and pause to what is recommended for the rest. */
function takeRecommended(): void {
  const { bandwidthBps, senders: count, alpha: share, rttPs, t1Ps, t2Ps } = values();
  const found = recommend({ bandwidthBps, senders: count, alpha: share, rttPs, t1Ps, t2Ps });
  sfcKilobytes.value = Math.round((found.sfcThresholdBytes ?? sfcKilobytes.value * 1e3) / 1e3);
  pfcKilobytes.value = Math.round((found.pfcThresholdBytes ?? pfcKilobytes.value * 1e3) / 1e3);
  pauseUs.value = Math.round((found.pausePs ?? pauseUs.value * psPerUs) / psPerUs);
}

export function SfcPanel(): VNode {
  const own = values();
  const increase = increaseBytes(own);
  const { peakBytes, troughBytes, idlePs, periodPs } = sawtooth(own);
  return (
    <>
      <div class="fields">
        <Slider label="link" value={bandwidthGbps} from={25} to={800} step={25} text={(value) => `${value} Gb/s`} />
        <Slider label="senders" value={senders} from={2} to={64} step={1} text={String} />
        <Slider
          label="each sends, of the link"
          value={alpha}
          from={0.02}
          to={1}
          step={0.01}
          text={(value) => `${Math.round(value * 100)} %`}
        />
        <Slider label="round trip" value={rttUs} from={1} to={100} step={1} text={us} />
        <Slider label={`t1: ${quantities.t1Ps.meaning}`} value={t1Us} from={0} to={50} step={1} text={us} />
        <Slider label={`t2: ${quantities.t2Ps.meaning}`} value={t2Us} from={0} to={50} step={1} text={us} />
        <Slider label="threshold T_SFC" value={sfcKilobytes} from={20} to={20_000} step={10} text={kilobytes} />
        <Slider label="threshold T_PFC" value={pfcKilobytes} from={20} to={40_000} step={10} text={kilobytes} />
        <Slider label="pause" value={pauseUs} from={0} to={500} step={1} text={us} />
        <button onClick={takeRecommended}>Thresholds and pause as recommended</button>
      </div>
      <LineChart figure={sawtoothFigure(own, own.pfcThresholdBytes)} />
      <Figures
        rows={[
          ['the buffer grows beyond T_SFC by', size(Math.max(0, increase))],
          ['and goes between', `${size(troughBytes)} and ${size(peakBytes)}`],
          ['every', Number.isFinite(periodPs) ? time(periodPs) : 'never again: senders do not fill the link'],
          ['the link idles', idlePs > 0 ? `${time(idlePs)} of each turn` : 'never'],
          ...conditions.map(({ formula, breach, slackBytes }) => {
            const slack = slackBytes(own);
            const left = size(Math.abs(slack));
            return [formula, slack >= 0 ? `holds: ${left} to spare` : `broken: ${left} short. ${breach}`] as const;
          }),
        ]}
      />
    </>
  );
}

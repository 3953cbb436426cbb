// How many packets took how long: buckets whose width grows with the latency, so that every latency is known to within
// 1/32 of itself. Below 32 ps a bucket is one picosecond wide; from there on each power of two is cut into 32 equal
// buckets.
// Invariant: each whole number from 0 to 2^53 belongs to exactly one bucket. Computed with shifts alone, so it is exact
// everywhere.
// Source: log-linear bucketing, as HdrHistogram has it.

import type { LatencyStatistics } from '../../../execution/network-figures.js';

/** buckets of each power of two, and their number as a power of two */
const bucketsPerOctave = 32;
const octaveShift = 5;
const largestExponent = 53;

/** The bucket of a latency in whole picoseconds. */
export function bucketOf(latencyPs: number): number {
  if (latencyPs < bucketsPerOctave) return latencyPs;
  const high = Math.floor(latencyPs / 2 ** 32);
  const exponent = high > 0 ? 63 - Math.clz32(high) : 31 - Math.clz32(latencyPs);
  return (exponent - octaveShift + 1) * bucketsPerOctave + Math.floor(latencyPs / width(exponent)) - bucketsPerOctave;
}

/** The shortest latency of a bucket, in picoseconds. */
export function bucketFromPs(bucket: number): number {
  if (bucket < bucketsPerOctave) return bucket;
  const exponent = (bucket >> octaveShift) + octaveShift - 1;
  return (bucketsPerOctave + (bucket & (bucketsPerOctave - 1))) * width(exponent);
}

/** Width of the buckets from 2^exponent on. */
function width(exponent: number): number {
  const shift = exponent - octaveShift;
  return shift < 31 ? 1 << shift : (1 << (shift - 30)) * 2 ** 30;
}

export class LatencyHistogram {
  readonly counts = new Float64Array((largestExponent - octaveShift + 2) * bucketsPerOctave);
  private packets = 0;
  private sumPs = 0;
  private maximumPs = 0;

  add(latencyPs: number): void {
    this.counts[bucketOf(latencyPs)]!++;
    this.packets++;
    this.sumPs += latencyPs;
    if (latencyPs > this.maximumPs) this.maximumPs = latencyPs;
  }

  /** All zero without packets. */
  statistics(): LatencyStatistics {
    const { packets, sumPs, maximumPs } = this;
    if (packets === 0) return { packets, meanNs: 0, p50Ns: 0, p99Ns: 0, maxNs: 0 };
    return {
      packets,
      meanNs: sumPs / packets / 1000,
      p50Ns: this.percentilePs(0.5) / 1000,
      p99Ns: this.percentilePs(0.99) / 1000,
      maxNs: maximumPs / 1000,
    };
  }

  private percentilePs(share: number): number {
    let left = Math.max(1, Math.ceil(share * this.packets));
    let bucket = 0;
    while ((left -= this.counts[bucket]!) > 0) bucket++;
    return Math.min(this.maximumPs, bucketFromPs(bucket + 1) - 1);
  }
}

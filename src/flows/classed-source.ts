// A source all of whose transfers are of one class (classed-sink.ts). Its transfers wait for nothing: traces, lists.

import { ClassedSink } from './classed-sink.js';
import type { TransferSink, WorkSource } from './work-source.js';

export class ClassedSource implements WorkSource {
  readonly fromStart?: () => WorkSource;
  private readonly sink: ClassedSink;

  /** @param trafficClass from 1 */
  constructor(
    private readonly source: WorkSource,
    trafficClass: number,
  ) {
    this.sink = new ClassedSink(trafficClass);
    const { fromStart } = source;
    if (fromStart !== undefined) this.fromStart = () => new ClassedSource(fromStart.call(source), trafficClass);
  }

  get total(): number {
    return this.source.total;
  }

  get totalBytes(): number | undefined {
    return this.source.totalBytes;
  }

  nextStartPs(): number {
    return this.source.nextStartPs();
  }

  expand(nowPs: number, sink: TransferSink): void {
    this.source.expand(nowPs, this.sink.before(sink));
  }

  refill(): Promise<void> {
    return this.source.refill();
  }

  close(): Promise<void> {
    return this.source.close();
  }
}

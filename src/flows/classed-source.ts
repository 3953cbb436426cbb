// A source all of whose transfers are of one class (classed-sink.ts). Its transfers wait for nothing: traces, lists.

import { ClassedSink } from './classed-sink.js';
import { SourceInFront } from './source-forms.js';
import type { TransferSink, WorkSource } from './work-source.js';

export class ClassedSource extends SourceInFront {
  readonly fromStart?: () => WorkSource;
  private readonly sink: ClassedSink;

  /** @param trafficClass from 1 */
  constructor(source: WorkSource, trafficClass: number) {
    super(source);
    this.sink = new ClassedSink(trafficClass);
    const { fromStart } = source;
    if (fromStart !== undefined) this.fromStart = () => new ClassedSource(fromStart.call(source), trafficClass);
  }

  override expand(nowPs: number, sink: TransferSink): void {
    this.source.expand(nowPs, this.sink.before(sink));
  }
}

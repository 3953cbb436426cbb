// Long because it is one format, with the mistakes that it can hold.
// SimAI's and ASTRA-sim's workload files, as AICB writes them, -> Workload.
//   a policy and the sizes of groups in the first line; the number of layers; then one line per layer: name,
//   dependency, and for the forward,
//   the input-gradient and the weight-gradient pass a compute time in ns, a collective and its bytes; at the end the
//   time of the update.
// Invariants: every mistake has file:line:column and a stable code; nothing is allocated from a count;
// readSimaiWorkload(writeSimaiWorkload(workload)) is the same workload.
// Source: SimAI 1.6 and AICB. Where SimAI's reader has faults, what the format means is read:
// docs/formats/simai-workload.md names each.

import { FileProblems, wholeFile, type Diagnostics, type Position } from '../base/diagnostics.js';
import { parseSizeBytes, parseTimePs } from '../base/units.js';
import { groupProblem } from '../workload/group-sizes.js';
import { foldMicroBatches } from '../workload/micro-batches.js';
import {
  groupOfPolicy,
  isTransformer,
  passNames,
  policyNames,
  type PassName,
  type PolicyName,
} from '../workload/policies.js';
import { LayerBuilder, maxLayers, type Pass, type Workload } from '../workload/workload.js';
import { decodeCollective } from './collective-names.js';
import { LineScanner } from './line-scanner.js';
import { readWorkloadHeader, type WorkloadHeader } from './simai-workload-header.js';
import { longestWord, type PlacedWord } from './lines.js';
import { isNumber, isWhole } from './number-words.js';

const fieldNames = [
  'name',
  'dependency',
  'forward compute time',
  'forward collective',
  'forward bytes',
  'input-gradient compute time',
  'input-gradient collective',
  'input-gradient bytes',
  'weight-gradient compute time',
  'weight-gradient collective',
  'weight-gradient bytes',
  'update time',
  'policy',
] as const;

/**
 * Reads a workload file.
 * @param file its name, for messages
 * @param diagnostics receives every mistake, and warnings of what is odd but can be meant
 * @returns the workload, its micro-batches found and folded; null if the file has errors
 */
export function readSimaiWorkload(text: string, file: string, diagnostics: Diagnostics): Workload | null {
  return new WorkloadReader(text, file, diagnostics).read();
}

class WorkloadReader extends FileProblems {
  private readonly scanner: LineScanner;
  private readonly builder = new LayerBuilder();
  /** the words of the layer being read */
  private words: PlacedWord[] = [];
  /** of the layers read so far: the layer each depends on, -1 none, and where it says so */
  private readonly dependencies: (Position & { readonly on: number })[] = [];
  private hasFraction = false;

  constructor(text: string, file: string, diagnostics: Diagnostics) {
    super(file, diagnostics);
    this.scanner = new LineScanner(text);
  }

  read(): Workload | null {
    const { scanner } = this;
    if (!scanner.seek()) {
      this.error('workload-empty', wholeFile, 'the workload file is empty', {
        wanted: `a policy such as ${policyNames[0]}, the number of layers, then the layers`,
      });
      return null;
    }
    const header = readWorkloadHeader(this.restOfLine(), this);
    if (header === null) return null;
    const count = this.readCount();
    if (count === null) return null;
    this.readLayers(header, count);
    if (!this.failed) this.checkMarks(header, count.value);
    if (!this.failed) this.checkDependencies();
    if (this.failed) return null;
    const workload = this.workloadOf(header);
    this.warn(header);
    return workload;
  }

  /** The words up to the end of the line. */
  private restOfLine(limit = Infinity): PlacedWord[] {
    return this.scanner.words(limit, longestWord + 1);
  }

  private readCount(): (Position & { readonly value: number }) | null {
    const { scanner } = this;
    const wanted = `a line with the number of layers alone, 1 to ${maxLayers}`;
    if (!scanner.seek()) {
      this.error('workload-truncated', scanner.position, 'the file ends after its first line', { wanted });
      return null;
    }
    const [word, extra] = this.restOfLine(2) as [PlacedWord, PlacedWord?];
    const value = isWhole(word.text) ? Number(word.text) : NaN;
    if (!(value >= 1 && value <= maxLayers)) {
      this.error(
        value > maxLayers ? 'workload-too-large' : 'workload-layer-count',
        word,
        'the second line is not the number of layers',
        { got: word.text, wanted },
      );
      return null;
    }
    if (extra !== undefined) {
      this.error('workload-layer-count', extra, 'the number of layers does not stand alone on its line', {
        got: extra.text,
        wanted,
      });
      return null;
    }
    return { value, line: word.line, column: word.column };
  }

  private readLayers(header: WorkloadHeader, count: Position & { readonly value: number }): void {
    const { scanner, builder } = this;
    const fields = header.policy === 'HYBRID_CUSTOMIZED' ? 13 : 12;
    let lines = 0;
    for (; scanner.seek() && !this.full; lines++) {
      if (lines >= count.value) {
        this.refuseRest(count);
        return;
      }
      this.words = this.restOfLine(fields + 1);
      scanner.skipLine();
      if (this.words.length === fields) this.readLayer(header, builder.count === 0 && lines === 0);
      else this.refuseLine(fields);
    }
    if (this.full || lines === count.value) return;
    this.error(
      'workload-truncated',
      scanner.position,
      `line ${count.line} announces ${count.value} layers, the file ends after ${lines}`,
      {
        wanted: `${count.value} lines of layers`,
        hint: `if nothing is missing, write ${lines} in line ${count.line}`,
      },
    );
  }

  /** The file goes on after the last announced layer. */
  private refuseRest(count: Position & { readonly value: number }): void {
    const { scanner } = this;
    scanner.word();
    const at = scanner.position;
    const got = scanner.value(80);
    let total = count.value;
    do {
      scanner.skipLine();
      total++;
    } while (scanner.seek());
    this.error(
      'workload-too-many-layers',
      at,
      `line ${count.line} announces ${count.value} layers, ${total} lines follow`,
      { got, wanted: `${count.value} lines of layers`, hint: `if all are meant, write ${total} in line ${count.line}` },
    );
  }

  private refuseLine(fields: number): void {
    const { words, scanner } = this;
    const wanted = `${fields} fields: ${fieldNames.slice(0, fields).join(', ')}`;
    const extra = words[fields];
    if (extra !== undefined)
      this.error('workload-extra-field', extra, `a layer's line goes on after its ${fields} fields`, {
        got: extra.text,
        wanted,
      });
    else
      this.error(
        'workload-incomplete-layer',
        scanner.position,
        `the line of layer ${words[0]!.text} ends before its ${fieldNames[words.length]!}`,
        { got: words.map(({ text }) => text).join(' '), wanted },
      );
  }

  private readLayer(header: WorkloadHeader, isFirst: boolean): void {
    const { words } = this;
    const [name, dependency, update] = [words[0]!, words[1]!, words[11]!];
    if (name.text.length > longestWord)
      this.error('workload-name', name, 'the name of a layer is too long', {
        got: name.text,
        wanted: `at most ${longestWord} characters`,
      });
    const isNumber = /^-?\d{1,15}$/.test(dependency.text);
    if (!isNumber)
      this.error('workload-dependency', dependency, 'the dependency of a layer is not a whole number', {
        got: dependency.text,
        wanted: '-1, or the number of a layer',
      });
    this.dependencies.push({
      on: isNumber ? Number(dependency.text) : -1,
      line: dependency.line,
      column: dependency.column,
    });
    const policy = header.policy === 'HYBRID_CUSTOMIZED' ? this.readPolicy(words[12]!) : header.policy;
    const passes = {} as Record<PassName, Pass>;
    passNames.forEach((pass, i) => {
      passes[pass] = this.readPass(pass, 2 + 3 * i, policy, isFirst, header);
    });
    this.builder.add({ name: name.text, ...passes, updatePs: this.readTime(update, 'update time'), policy });
  }

  private readPolicy(word: PlacedWord): PolicyName {
    const policy = policyNames.find((known) => known === word.text);
    if (policy !== undefined && policy !== 'HYBRID_CUSTOMIZED') return policy;
    this.error('workload-policy', word, 'the policy of a layer is not known', {
      got: word.text,
      wanted: `one of ${policyNames.filter((known) => known !== 'HYBRID_CUSTOMIZED').join(', ')}`,
    });
    return 'DATA';
  }

  private readPass(pass: PassName, field: number, policy: PolicyName, isFirst: boolean, header: WorkloadHeader): Pass {
    const [time, word, size] = this.words.slice(field, field + 3) as [PlacedWord, PlacedWord, PlacedWord];
    const computePs = this.readTime(time, fieldNames[field]!);
    const sizeBytes = this.readSize(size, fieldNames[field + 2]!);
    const decoded = decodeCollective(word.text);
    if ('problem' in decoded) {
      this.error(decoded.problem, word, decoded.message, {
        got: word.text,
        wanted: decoded.wanted,
        ...(decoded.hint === undefined ? {} : { hint: decoded.hint }),
      });
      return { computePs, collective: 'none', group: 'none', sizeBytes: 0 };
    }
    const { collective } = decoded;
    const group = decoded.group ?? groupOfPolicy(policy, pass, isFirst);
    if (collective !== 'none' && sizeBytes > 0) {
      if (group === 'none')
        this.warning(
          'workload-no-ranks',
          word,
          `the policy ${policy} gives the ${fieldNames[field + 1]!} no ranks: nothing is sent`,
          { got: word.text, wanted: 'NONE' },
        );
      const missing =
        (group === 'tp' || group === 'dp') && !header.given.has('tensor')
          ? 'model_parallel_NPU_group'
          : (group === 'ep' || group === 'dp_ep') && !header.given.has('expert')
            ? 'ep'
            : null;
      if (missing !== null)
        this.error(
          'workload-group-missing',
          word,
          `the first line does not say how large the group of ${word.text} is`,
          { got: word.text, wanted: `${missing}: SIZE in the first line` },
        );
    }
    return { computePs, collective, group, sizeBytes };
  }

  private readTime(word: PlacedWord, what: string): number {
    const timePs = isNumber(word.text, longestWord) ? parseTimePs(`${word.text}ns`) : null;
    if (timePs !== null) return timePs;
    this.error(
      isNumber(word.text, longestWord) ? 'workload-overflow' : 'workload-time',
      word,
      `the ${what} ${isNumber(word.text, longestWord) ? 'is too long' : 'is not a number'}`,
      { got: word.text, wanted: 'nanoseconds, 0 to 9007199254740 (2.5 hours)' },
    );
    return 0;
  }

  private readSize(word: PlacedWord, what: string): number {
    const sizeBytes = isNumber(word.text, longestWord) ? parseSizeBytes(word.text) : null;
    if (sizeBytes !== null) {
      if (Number(word.text) !== sizeBytes && !this.hasFraction) {
        this.hasFraction = true;
        this.warning('workload-fraction', word, `the ${what} are not whole: rounded`, { got: word.text });
      }
      return sizeBytes;
    }
    this.error(
      isNumber(word.text, longestWord) ? 'workload-overflow' : 'workload-size',
      word,
      `the ${what} ${isNumber(word.text, longestWord) ? 'are too many' : 'are not a number'}`,
      { got: word.text, wanted: 'bytes, 0 to 9007199254740991 (8 PiB)' },
    );
    return 0;
  }

  /** Checkpoints and where recomputation starts name layers by their number. */
  private checkMarks(header: WorkloadHeader, count: number): void {
    const { checkpoints, initiates } = header;
    for (const { value, ...at } of [...checkpoints, ...initiates]) {
      if (value >= count)
        this.error('workload-checkpoint', at, `layer ${value} does not exist`, {
          got: String(value),
          wanted: `a number from 0 to ${count - 1}`,
        });
    }
    const first = checkpoints.reduce((least, { value }) => Math.min(least, value), Infinity);
    for (const { value, ...at } of initiates) {
      if (value < first)
        this.error('workload-checkpoint', at, `no checkpoint stands at or before layer ${value}`, {
          got: String(value),
          wanted: 'a layer from which recomputation can begin',
          hint: 'list it under checkpoints:',
        });
    }
  }

  /** What a layer depends on is not used, but it has to make sense: a layer that exists, and no circle. */
  private checkDependencies(): void {
    const { dependencies } = this;
    const ignored = dependencies.find(({ on }) => on !== -1);
    if (ignored === undefined) return;
    for (const { on, ...at } of dependencies) {
      if (on < -1 || on >= dependencies.length)
        this.error('workload-dependency', at, `layer ${on} does not exist`, {
          got: String(on),
          wanted: `-1, or a number from 0 to ${dependencies.length - 1}`,
        });
    }
    if (this.failed) return;
    // the number of the walk that came by first: one that meets itself has found a circle
    const walkOf = new Int32Array(dependencies.length);
    for (let start = 0; start < dependencies.length; start++) {
      let layer = start;
      for (; layer >= 0 && walkOf[layer] === 0; layer = dependencies[layer]!.on) walkOf[layer] = start + 1;
      if (layer < 0 || walkOf[layer] !== start + 1) continue;
      this.refuseCircle(layer);
      return;
    }
    const { on, ...at } = ignored;
    this.warning('workload-dependency-ignored', at, 'dependencies of layers are not used: layers run in their order', {
      got: String(on),
      wanted: '-1',
    });
  }

  private refuseCircle(first: number): void {
    const circle = [first];
    for (let layer = this.dependencies[first]!.on; layer !== first; layer = this.dependencies[layer]!.on)
      circle.push(layer);
    circle.push(first);
    const shown = circle.length > 12 ? [...circle.slice(0, 10), '...', first] : circle;
    const { on, ...at } = this.dependencies[first]!;
    this.error(
      'workload-cycle',
      at,
      circle.length === 2
        ? `layer ${first} depends on itself`
        : `layers depend on each other in a circle: ${shown.join(' -> ')}`,
      { got: String(on), wanted: '-1, or layers that none of them waits for' },
    );
  }

  private workloadOf(header: WorkloadHeader): Workload | null {
    const {
      policy,
      groups,
      chunksPerStage,
      microBatches,
      stageTransferBytes,
      lastBottomLayer,
      checkpoints,
      initiates,
      places,
    } = header;
    const problem = groupProblem(groups);
    if (problem !== null) {
      this.error('workload-groups', places[problem.size] ?? { line: 1, column: 1 }, problem.message, {
        got: problem.got,
        wanted: problem.wanted,
      });
      return null;
    }
    const marked = this.builder.build();
    for (const { value } of checkpoints) marked.isCheckpoint[value] = 1;
    for (const { value } of initiates) marked.startsRecomputation[value] = 1;
    const folded = microBatches > 1 ? foldMicroBatches(marked, microBatches) : marked;
    if (folded === null) {
      marked.isOnce.fill(1);
      this.warning(
        'workload-micro-batches',
        places.microBatches!,
        `the layers are not ${microBatches} copies, one per micro-batch: they run once, as they stand`,
        { got: String(microBatches), wanted: 'ga: 1, or the layers of every micro-batch' },
      );
    }
    return {
      policy,
      groups,
      chunksPerStage,
      microBatches,
      stageTransferBytes,
      lastBottomLayer,
      layers: folded ?? marked,
    };
  }

  private warn({ policy, given, groups, stageTransferBytes, places }: WorkloadHeader): void {
    if (!isTransformer(policy)) return;
    const missing = (
      [
        ['expert', 'ep'],
        ['pipeline', 'pp'],
        ['chunksPerStage', 'vpp'],
        ['microBatches', 'ga'],
      ] as const
    )
      .filter(([size]) => !given.has(size))
      .map(([, key]) => key);
    if (missing.length > 0)
      this.warning(
        'workload-header-incomplete',
        places.policy!,
        `the first line does not give ${missing.join(', ')}: taken as 1`,
        { hint: 'older versions of AICB left them out' },
      );
    if (groups.pipeline > 1 !== stageTransferBytes > 0) {
      const at = places.stageTransferBytes ?? places.pipeline ?? places.policy!;
      this.warning(
        'workload-pipeline',
        at,
        groups.pipeline > 1
          ? 'pipeline stages that send each other nothing'
          : 'bytes between pipeline stages, of which there is one',
        {
          got: `pp: ${groups.pipeline} pp_comm: ${stageTransferBytes}`,
          wanted: 'pp_comm: BYTES exactly if pp is above 1',
        },
      );
    }
  }
}

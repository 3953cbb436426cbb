// The first line of a workload file: the policy, then keys with their values in any order, with or without a colon
// behind the key.
// Invariant: every value knows where it stands; of a key that is given twice the last one counts, with a warning.
// Source: SimAI 1.6 and the versions of AICB before it, which left keys out or named them otherwise.

import { FileProblems, type Position } from '../base/diagnostics.js';
import { parseSizeBytes } from '../base/units.js';
import { maxNodes } from '../fabric/fabric.js';
import { policyNames, type PolicyName } from '../workload/policies.js';
import { maxLayers, type GroupSizes, type Workload } from '../workload/workload.js';
import { longestWord, type PlacedWord } from './lines.js';
import { isWhole } from './number-words.js';

/** A number of a layer, and where it stands. */
interface LayerNumber extends Position {
  readonly value: number;
}

type SizeName = keyof GroupSizes | 'chunksPerStage' | 'microBatches' | 'stageTransferBytes' | 'lastBottomLayer';

export interface WorkloadHeader extends Omit<Workload, 'layers'> {
  /** layers at which activations are kept, and layers before which the forward pass runs again */
  readonly checkpoints: readonly LayerNumber[];
  readonly initiates: readonly LayerNumber[];
  /** what the line gives; the rest has its default */
  readonly given: ReadonlySet<SizeName>;
  /** where the values stand */
  readonly places: Readonly<Partial<Record<SizeName | 'policy', Position>>>;
}

interface SizeKey {
  readonly name: SizeName;
  readonly minimum: number;
  readonly maximum: number;
}

const ranks = { minimum: 1, maximum: maxNodes };

/** The keys with one value, in lower case and without the colon. */
const sizeKeys: Readonly<Record<string, SizeKey>> = {
  model_parallel_npu_group: { name: 'tensor', ...ranks },
  ep: { name: 'expert', ...ranks },
  expert_parallel_npu_group: { name: 'expert', ...ranks },
  pp: { name: 'pipeline', ...ranks },
  vpp: { name: 'chunksPerStage', minimum: 1, maximum: maxLayers },
  ga: { name: 'microBatches', minimum: 1, maximum: maxLayers },
  all_gpus: { name: 'gpus', ...ranks },
  pp_comm: { name: 'stageTransferBytes', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  dlrm_last_bottom_layer: { name: 'lastBottomLayer', minimum: 0, maximum: maxLayers },
};

/** The keys whose value is a list: how many layers, then their numbers. */
const listKeys: Readonly<Record<string, 'checkpoints' | 'initiates'>> = {
  checkpoints: 'checkpoints',
  checkpoint_initiates: 'initiates',
};

/**
 * Reads the first line of a workload file.
 * @param words the words of the line, at least one
 * @returns null after at least one error
 */
export function readWorkloadHeader(words: readonly PlacedWord[], problems: FileProblems): WorkloadHeader | null {
  const first = words[0]!;
  const policy = policyNames.find((known) => known === first.text);
  if (policy === undefined) {
    problems.error('workload-policy', first, 'the file does not begin with a parallelism policy', {
      got: first.text,
      wanted: `one of ${policyNames.join(', ')}`,
    });
    return null;
  }
  return new HeaderReader(words, problems).read(policy);
}

class HeaderReader extends FileProblems {
  private readonly values: Partial<Record<SizeName, number>> = {};
  private readonly places: Partial<Record<SizeName | 'policy', Position>> = {};
  private readonly lists = { checkpoints: [] as LayerNumber[], initiates: [] as LayerNumber[] };
  private next = 1;
  private readonly seen = new Set<string>();

  constructor(
    private readonly words: readonly PlacedWord[],
    { file, diagnostics }: FileProblems,
  ) {
    super(file, diagnostics);
    this.places.policy = words[0]!;
  }

  read(policy: PolicyName): WorkloadHeader | null {
    const { words, values } = this;
    while (this.next < words.length && !this.full) this.readKey();
    if (this.failed) return null;
    const {
      tensor = 1,
      expert = 1,
      pipeline = 1,
      gpus = 0,
      chunksPerStage = 1,
      microBatches = 1,
      stageTransferBytes = 0,
      lastBottomLayer = -1,
    } = values;
    return {
      policy,
      groups: { tensor, expert, pipeline, gpus },
      chunksPerStage,
      microBatches,
      stageTransferBytes,
      lastBottomLayer,
      ...this.lists,
      given: new Set(Object.keys(values) as SizeName[]),
      places: this.places,
    };
  }

  private readKey(): void {
    const word = this.words[this.next++]!;
    const colon = word.text.indexOf(':');
    const key = (colon < 0 ? word.text : word.text.slice(0, colon)).toLowerCase();
    // `ep:4` without a blank is a key and its value
    const attached =
      colon >= 0 && colon < word.text.length - 1
        ? { text: word.text.slice(colon + 1), line: word.line, column: word.column + colon + 1 }
        : null;
    const size = Object.hasOwn(sizeKeys, key) ? sizeKeys[key]! : null;
    const list = Object.hasOwn(listKeys, key) ? listKeys[key]! : null;
    if (size === null && list === null) {
      this.warning('workload-unknown-key', word, 'the first line has a word that means nothing: passed over', {
        got: word.text,
        wanted: `one of ${[...Object.keys(sizeKeys), ...Object.keys(listKeys)].join(', ')}, each with its value`,
      });
      return;
    }
    const name = size?.name ?? list!;
    if (this.seen.has(name))
      this.warning('workload-duplicate-key', word, `${key} is given again: this one counts`, {
        got: word.text,
      });
    this.seen.add(name);
    if (size !== null) this.readSize(key, size, attached);
    else this.readList(key, list!, attached);
  }

  /** The next word, which is the value of a key; null after an error. */
  private value(key: string, attached: PlacedWord | null, wanted: string): PlacedWord | null {
    const word = attached ?? this.words[this.next];
    if (word === undefined) {
      const last = this.words[this.words.length - 1]!;
      this.error(
        'workload-header-value',
        { line: last.line, column: last.column + last.text.length },
        `the first line ends before the value of ${key}`,
        { wanted },
      );
      return null;
    }
    if (attached === null) this.next++;
    return word;
  }

  private readSize(key: string, { name, minimum, maximum }: SizeKey, attached: PlacedWord | null): void {
    const wanted =
      name === 'stageTransferBytes' ? 'bytes, 0 to 9007199254740991' : `a whole number from ${minimum} to ${maximum}`;
    const word = this.value(key, attached, wanted);
    if (word === null) return;
    const isNumber =
      name === 'stageTransferBytes'
        ? word.text.length <= longestWord && /^\d+(?:\.\d*)?(?:[eE]\+?\d{1,3})?$/.test(word.text)
        : isWhole(word.text);
    const value = isNumber ? parseSizeBytes(word.text) : NaN;
    if (value !== null && value >= minimum && value <= maximum) {
      this.values[name] = value;
      this.places[name] = word;
      return;
    }
    const isTooLarge = value === null || value > maximum || /^\d{16,}$/.test(word.text);
    this.error(
      isTooLarge ? 'workload-overflow' : 'workload-header-value',
      word,
      `${key} ${isTooLarge ? 'is too large' : 'has no usable value'}`,
      {
        got: word.text,
        wanted,
        ...(name === 'microBatches' && value === 0
          ? { hint: 'the global batch is smaller than one micro-batch for every data-parallel rank' }
          : {}),
      },
    );
  }

  private readList(key: string, list: 'checkpoints' | 'initiates', attached: PlacedWord | null): void {
    const count = this.value(key, attached, 'how many layers follow');
    if (count === null) return;
    this.lists[list].length = 0;
    if (!isWhole(count.text) || Number(count.text) > maxLayers) {
      this.error('workload-header-value', count, `${key} has no usable count`, {
        got: count.text,
        wanted: 'how many layers follow, then their numbers',
      });
      return;
    }
    for (let i = 0; i < Number(count.text); i++) {
      const wanted = `${count.text} numbers of layers, counted from 0`;
      const word = this.value(key, null, wanted);
      if (word === null) return;
      if (!isWhole(word.text)) {
        this.error('workload-header-value', word, `${key} announces ${count.text} layers and lists ${i}`, {
          got: word.text,
          wanted,
        });
        this.next--;
        return;
      }
      this.lists[list].push({ value: Number(word.text), line: word.line, column: word.column });
    }
  }
}

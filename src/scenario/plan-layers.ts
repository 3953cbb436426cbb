// `workload: { layers: […], … }` -> a workload: layers as they are written, repeated ones numbered.

import type { Diagnostics } from '../base/diagnostics.js';
import { passNames, type PassName } from '../workload/policies.js';
import { LayerBuilder, maxLayers, type Layer, type Pass, type Workload } from '../workload/workload.js';
import { errorAt, keyPlaceOf, nodeAt, placeOf, type LocatedMap, type Path } from './located.js';
import type { Planned } from './plan-fabric.js';
import { groupText, sizeText } from '../base/quantity-text.js';
import { groupAt, valueAt, wordAt } from './resolve.js';
import { layerChunkSettings, layerSettings, layersSettings, passSettings } from './workload-schema.js';
import type { WorkloadSite } from './workload-site.js';

/** A layer as it is written: what it becomes, how often, and as a scenario writes it. */
interface WrittenLayer {
  readonly path: Path;
  readonly layer: Partial<Layer> & { readonly name: string };
  readonly times: number;
  readonly resolved: Record<string, unknown>;
}

/** Reads the layers of a scenario. @returns null after at least one error */
export function layersWorkload(
  { root, path, gpus: available }: WorkloadSite,
  diagnostics: Diagnostics,
): Planned<Workload> | null {
  const reader = new LayersReader(root, path, diagnostics);
  const values = groupAt(root, path, layersSettings);
  const {
    tensorParallel: tensor,
    pipelineParallel: pipeline,
    expertParallel: expert,
    dataParallel,
    chunksPerStage,
    microBatches,
    stageTransfer,
    policy,
  } = values;
  const { layers, resolved } = reader.read(pipeline * chunksPerStage);
  if (layers === null) return null;
  const gpus = dataParallel > 0 ? tensor * pipeline * dataParallel : available;
  return {
    value: {
      policy,
      groups: { tensor, expert, pipeline, gpus },
      chunksPerStage,
      microBatches,
      stageTransferBytes: stageTransfer,
      lastBottomLayer: -1,
      layers,
    },
    resolved: {
      ...groupText(layersSettings, { ...values, dataParallel: gpus / (tensor * pipeline) }),
      layers: resolved,
    },
  };
}

class LayersReader {
  private readonly builder = new LayerBuilder();
  private readonly errorsBefore: number;
  /** where the first layer stands that runs once behind layers that run for every micro-batch */
  private onceAfter: Path | null = null;
  private hasRepeated = false;
  private hasCheckpoint = false;

  constructor(
    private readonly root: LocatedMap,
    private readonly base: Path,
    private readonly diagnostics: Diagnostics,
  ) {
    this.errorsBefore = diagnostics.errorCount;
  }

  /** @param chunks how many model chunks there are */
  read(chunks: number): { readonly layers: Workload['layers'] | null; readonly resolved: unknown[] } {
    const resolved: unknown[] = [];
    for (let i = 0; i < this.itemCount([...this.base, 'layers']) && !this.diagnostics.full; i++)
      resolved.push(this.readLine([...this.base, 'layers', i], chunks));
    return { layers: this.failed ? null : this.builder.build(), resolved };
  }

  private get failed(): boolean {
    return this.diagnostics.errorCount > this.errorsBefore;
  }

  private itemCount(path: Path): number {
    const list = nodeAt(this.root, path);
    return list?.kind === 'list' ? list.items.length : 0;
  }

  private error(
    path: Path,
    code: string,
    message: string,
    detail: { got?: string; wanted?: string; hint?: string },
  ): void {
    errorAt(this.diagnostics, code, nodeAt(this.root, path)?.place ?? placeOf(this.root, path), message, detail);
  }

  /** A layer, or a block of layers that run in turn. */
  private readLine(path: Path, chunks: number): unknown {
    const inner = this.itemCount([...path, 'layers']);
    if (inner === 0) {
      const written = this.readLayer(path, chunks);
      if (this.hasRoom(path, written.times)) this.add(written, '');
      return written.resolved;
    }
    const times = valueAt(this.root, [...path, 'times'], layerSettings.times);
    const node = nodeAt(this.root, path);
    const stray =
      node?.kind === 'map' ? [...node.entries.keys()].find((key) => key !== 'times' && key !== 'layers') : undefined;
    if (stray !== undefined)
      errorAt(
        this.diagnostics,
        'workload-layer-block',
        keyPlaceOf(this.root, [...path, stray]),
        `${stray} stands beside a list of layers: it belongs in each layer of the list`,
        { wanted: 'nothing beside layers but times' },
      );
    const block = Array.from({ length: inner }, (_, i) => this.readLayer([...path, 'layers', i], chunks));
    if (this.hasRoom(path, times * block.reduce((sum, layer) => sum + layer.times, 0))) {
      for (let round = 0; round < times && !this.failed; round++)
        for (const layer of block) this.add(layer, times > 1 ? `.${round}` : '');
    }
    return { times, layers: block.map(({ resolved }) => resolved) };
  }

  /** Whether so many layers more may be added. */
  private hasRoom(path: Path, count: number): boolean {
    if (this.builder.count + count > maxLayers)
      this.error(path, 'workload-too-large', 'the workload has too many layers', {
        got: String(this.builder.count + count),
        wanted: `at most ${maxLayers} in all`,
      });
    return !this.failed;
  }

  /** Appends a layer as often as it says. */
  private add({ path, layer, times }: WrittenLayer, suffix: string): void {
    for (let round = 0; round < times && !this.failed; round++) {
      if (this.isInOrder(path, layer))
        this.builder.add({ ...layer, name: `${layer.name}${suffix}${times > 1 ? `.${round}` : ''}` });
    }
  }

  private isInOrder(path: Path, { isOnce, isCheckpoint, startsRecomputation }: Partial<Layer>): boolean {
    this.hasCheckpoint ||= isCheckpoint === true;
    if (startsRecomputation === true && !this.hasCheckpoint)
      this.error([...path, 'recompute'], 'workload-checkpoint', 'no checkpoint stands at or before the layer', {
        wanted: 'checkpoint: true at the layer from which recomputation begins',
      });
    if (isOnce === true) {
      if (this.hasRepeated) this.onceAfter ??= path;
    } else if (this.onceAfter === null) {
      this.hasRepeated = true;
    } else {
      this.error(
        [...this.onceAfter, 'once'],
        'workload-once',
        'a layer that runs once stands between layers that run for every micro-batch',
        { wanted: 'such layers first or last' },
      );
    }
    return !this.failed;
  }

  private readLayer(path: Path, chunks: number): WrittenLayer {
    const { root } = this;
    const name = wordAt(root, [...path, 'name']) ?? '';
    if (name === '') this.error(path, 'scenario-missing', 'the layer has no name', { wanted: 'name: a word' });
    else if (!/^[^\s#]\S*$/.test(name) || name.length > 100)
      this.error([...path, 'name'], 'workload-name', 'the name of a layer is not one word', {
        got: name,
        wanted: 'at most 100 characters without blanks, such as layer0.attention',
      });
    const values = groupAt(root, path, layerSettings);
    const hasChunk = nodeAt(root, [...path, 'chunk']) !== undefined;
    const modelChunk = hasChunk ? valueAt(root, [...path, 'chunk'], layerChunkSettings.chunk) : -1;
    if (modelChunk >= chunks)
      this.error([...path, 'chunk'], 'workload-chunk', `there is no model chunk ${modelChunk}`, {
        got: String(modelChunk),
        wanted: `a number from 0 to ${chunks - 1} (pipelineParallel x chunksPerStage)`,
      });
    const passes = {} as Record<PassName, Pass>;
    const texts: Record<string, unknown> = {};
    for (const pass of passNames) {
      const read = this.readPass([...path, pass]);
      passes[pass] = read.pass;
      if (nodeAt(root, [...path, pass]) !== undefined) texts[pass] = read.resolved;
    }
    return {
      path,
      times: values.times,
      layer: {
        name,
        ...passes,
        updatePs: values.update,
        modelChunk,
        policy: valueAt(root, [...this.base, 'policy'], layersSettings.policy),
        isOnce: values.once,
        isCheckpoint: values.checkpoint,
        startsRecomputation: values.recompute,
        isSyncedOnce: values.synchronize === 'lastMicroBatch' && passes.weightGradient.collective !== 'none',
      },
      resolved: { name, ...groupText(layerSettings, values), ...(hasChunk ? { chunk: modelChunk } : {}), ...texts },
    };
  }

  /** A pass: group and size stand exactly where a collective does. */
  private readPass(path: Path): { readonly pass: Pass; readonly resolved: Record<string, unknown> } {
    const { compute, collective, group, size } = groupAtLoosely(this.root, path);
    const missing = [...(group === undefined ? ['group'] : []), ...(size === undefined ? ['size'] : [])];
    if (collective !== 'none' && missing.length > 0)
      this.error([...path, 'collective'], 'workload-pass', `the collective has no ${missing.join(' and no ')}`, {
        got: collective,
        wanted: 'group and size beside collective',
      });
    if (collective === 'none' && missing.length < 2)
      this.error(
        [...path, group === undefined ? 'size' : 'group'],
        'workload-pass',
        'a group or a size without a collective',
        { wanted: 'collective beside them' },
      );
    const texts = groupText(
      { compute: passSettings.compute, collective: passSettings.collective },
      { compute, collective },
    );
    if (collective === 'none' || group === undefined || size === undefined)
      return { pass: { computePs: compute, collective: 'none', group: 'none', sizeBytes: 0 }, resolved: texts };
    return {
      pass: { computePs: compute, collective, group, sizeBytes: size },
      resolved: { ...texts, group, size: sizeText(size) },
    };
  }
}

/** The settings of a pass; group and size only if they are given. */
function groupAtLoosely(root: LocatedMap, path: Path) {
  const { group, size, ...plain } = passSettings;
  const isGiven = (name: string): boolean => nodeAt(root, [...path, name]) !== undefined;
  return {
    ...groupAt(root, path, plain),
    group: isGiven('group') ? valueAt(root, [...path, 'group'], group) : undefined,
    size: isGiven('size') ? valueAt(root, [...path, 'size'], size) : undefined,
  };
}

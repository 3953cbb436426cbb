// `workload: { layers: […], … }` -> a workload: layers as they are written, repeated ones numbered.

import { passNames, type PassName } from '../../workload/policies.js';
import { LayerBuilder, maxLayers, type Layer, type Pass, type Workload } from '../../workload/workload.js';
import type { Section } from '../form/section.js';
import type { Planned } from '../network/plan-fabric.js';
import { groupText, sizeText } from '../../base/quantity-text.js';
import { layerChunkSettings, layerSettings, layersSettings, passSettings } from '../form/workload-schema.js';
import type { WorkloadSite } from './workload-site.js';

/** A layer as it is written: what it becomes, how often, and as a scenario writes it. */
interface WrittenLayer {
  readonly block: Section;
  readonly layer: Partial<Layer> & { readonly name: string };
  readonly times: number;
  readonly resolved: Record<string, unknown>;
}

/** Reads the layers of a scenario. @returns null after at least one error */
export function layersWorkload({ block, gpus: available }: WorkloadSite): Planned<Workload> | null {
  const reader = new LayersReader(block);
  const values = block.group(layersSettings);
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
  /** where the first layer stands that runs once behind layers that run for every micro-batch */
  private onceAfter: Section | null = null;
  private hasRepeated = false;
  private hasCheckpoint = false;

  constructor(private readonly block: Section) {}

  /** @param chunks how many model chunks there are */
  read(chunks: number): { readonly layers: Workload['layers'] | null; readonly resolved: unknown[] } {
    const resolved: unknown[] = [];
    for (let i = 0; i < this.block.count('layers') && !this.block.full; i++)
      resolved.push(this.readLine(this.block.at('layers', i), chunks));
    return { layers: this.block.failed ? null : this.builder.build(), resolved };
  }

  /** A layer, or a block of layers that run in turn. */
  private readLine(line: Section, chunks: number): unknown {
    const inner = line.count('layers');
    if (inner === 0) {
      const written = this.readLayer(line, chunks);
      if (this.hasRoom(line, written.times)) this.add(written, '');
      return written.resolved;
    }
    const times = line.value('times', layerSettings.times);
    const node = line.node();
    const stray =
      node?.kind === 'map' ? [...node.entries.keys()].find((key) => key !== 'times' && key !== 'layers') : undefined;
    if (stray !== undefined)
      line.keyError(
        stray,
        'workload-layer-block',
        `${stray} stands beside a list of layers: it belongs in each layer of the list`,
        { wanted: 'nothing beside layers but times' },
      );
    const block = Array.from({ length: inner }, (_, i) => this.readLayer(line.at('layers', i), chunks));
    if (this.hasRoom(line, times * block.reduce((sum, layer) => sum + layer.times, 0))) {
      for (let round = 0; round < times && !this.block.failed; round++)
        for (const layer of block) this.add(layer, times > 1 ? `.${round}` : '');
    }
    return { times, layers: block.map(({ resolved }) => resolved) };
  }

  /** Whether so many layers more may be added. */
  private hasRoom(line: Section, count: number): boolean {
    if (this.builder.count + count > maxLayers)
      line.error([], 'workload-too-large', 'the workload has too many layers', {
        got: String(this.builder.count + count),
        wanted: `at most ${maxLayers} in all`,
      });
    return !this.block.failed;
  }

  /** Appends a layer as often as it says. */
  private add({ block, layer, times }: WrittenLayer, suffix: string): void {
    for (let round = 0; round < times && !this.block.failed; round++) {
      if (this.isInOrder(block, layer))
        this.builder.add({ ...layer, name: `${layer.name}${suffix}${times > 1 ? `.${round}` : ''}` });
    }
  }

  private isInOrder(line: Section, { isOnce, isCheckpoint, startsRecomputation }: Partial<Layer>): boolean {
    this.hasCheckpoint ||= isCheckpoint === true;
    if (startsRecomputation === true && !this.hasCheckpoint)
      line.error('recompute', 'workload-checkpoint', 'no checkpoint stands at or before the layer', {
        wanted: 'checkpoint: true at the layer from which recomputation begins',
      });
    if (isOnce === true) {
      if (this.hasRepeated) this.onceAfter ??= line;
    } else if (this.onceAfter === null) {
      this.hasRepeated = true;
    } else {
      this.onceAfter.error(
        'once',
        'workload-once',
        'a layer that runs once stands between layers that run for every micro-batch',
        { wanted: 'such layers first or last' },
      );
    }
    return !this.block.failed;
  }

  private readLayer(line: Section, chunks: number): WrittenLayer {
    const name = line.word('name') ?? '';
    if (name === '') line.error([], 'scenario-missing', 'the layer has no name', { wanted: 'name: a word' });
    else if (!/^[^\s#]\S*$/.test(name) || name.length > 100)
      line.error('name', 'workload-name', 'the name of a layer is not one word', {
        got: name,
        wanted: 'at most 100 characters without blanks, such as layer0.attention',
      });
    const values = line.group(layerSettings);
    const hasChunk = line.has('chunk');
    const modelChunk = hasChunk ? line.value('chunk', layerChunkSettings.chunk) : -1;
    if (modelChunk >= chunks)
      line.error('chunk', 'workload-chunk', `there is no model chunk ${modelChunk}`, {
        got: String(modelChunk),
        wanted: `a number from 0 to ${chunks - 1} (pipelineParallel x chunksPerStage)`,
      });
    const passes = {} as Record<PassName, Pass>;
    const texts: Record<string, unknown> = {};
    for (const pass of passNames) {
      const read = this.readPass(line.at(pass));
      passes[pass] = read.pass;
      if (line.has(pass)) texts[pass] = read.resolved;
    }
    return {
      block: line,
      times: values.times,
      layer: {
        name,
        ...passes,
        updatePs: values.update,
        modelChunk,
        policy: this.block.value('policy', layersSettings.policy),
        isOnce: values.once,
        isCheckpoint: values.checkpoint,
        startsRecomputation: values.recompute,
        isSyncedOnce: values.synchronize === 'lastMicroBatch' && passes.weightGradient.collective !== 'none',
      },
      resolved: { name, ...groupText(layerSettings, values), ...(hasChunk ? { chunk: modelChunk } : {}), ...texts },
    };
  }

  /** A pass: group and size stand exactly where a collective does. */
  private readPass(block: Section): { readonly pass: Pass; readonly resolved: Record<string, unknown> } {
    const { compute, collective, group, size } = groupAtLoosely(block);
    const missing = [...(group === undefined ? ['group'] : []), ...(size === undefined ? ['size'] : [])];
    if (collective !== 'none' && missing.length > 0)
      block.error('collective', 'workload-pass', `the collective has no ${missing.join(' and no ')}`, {
        got: collective,
        wanted: 'group and size beside collective',
      });
    if (collective === 'none' && missing.length < 2)
      block.error(group === undefined ? 'size' : 'group', 'workload-pass', 'a group or a size without a collective', {
        wanted: 'collective beside them',
      });
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
function groupAtLoosely(block: Section) {
  const { group, size, ...plain } = passSettings;
  return {
    ...block.group(plain),
    group: block.has('group') ? block.value('group', group) : undefined,
    size: block.has('size') ? block.value('size', size) : undefined,
  };
}

// A workload file with the shape and the figures of the 9,216-GPU example of SimAI's tutorial: six layers of gradients,
// 24 micro-batches of an embedding, eight blocks of a mixture of experts and a last layer, seven layers at the end.
// Source of the figures: example/workload_analytical.txt of SimAI (docs/SOURCES.md#simai).

const idle = ['1', 'NONE', '0'];

function layer(name: string, ...fields: readonly string[]): string {
  return [name, '-1', ...fields, '100'].join('\t');
}

const gradients = [
  layer('grad_gather', ...idle, ...idle, '1', 'ALLGATHER', '2807758848'),
  layer('grad_param_comm', ...idle, ...idle, '1', 'REDUCESCATTER', '5615517696'),
  layer('grad_param_compute', ...idle, '29700224', 'NONE', '0', ...idle),
  layer('embedding_grads', ...idle, '1', 'ALLREDUCE', '50331648', ...idle),
  layer('moe_grad_norm1', ...idle, ...idle, '1', 'ALLGATHER_DP_EP', '19327352832'),
  layer('moe_grad_norm2', ...idle, ...idle, '1', 'REDUCESCATTER_DP_EP', '38654705664'),
];

const both = (time: string, forward: string, backward: string, bytes: string): string =>
  layer('mlp_moelayer', time, forward, bytes, time, backward, bytes, ...idle);
const block = [
  layer('attention_column', '1750840', 'ALLGATHER', '50331648', '875420', 'REDUCESCATTER', '0', '875420', 'NONE', '0'),
  layer(
    'attention_row',
    '1750840',
    'REDUCESCATTER',
    '50331648',
    '875420',
    'ALLGATHER',
    '50331648',
    '875420',
    'NONE',
    '0',
  ),
  both('7956367', 'ALLGATHER', 'ALLGATHER', '1572864'),
  both('1', 'ALLTOALL', 'ALLTOALL', '25165824'),
  both('1', 'ALLTOALL_EP', 'ALLTOALL_EP', '100663296'),
  both('1', 'ALLGATHER', 'REDUCESCATTER', '201326592'),
  both('1', 'REDUCESCATTER', 'ALLGATHER', '201326592'),
  both('1', 'ALLTOALL_EP', 'ALLTOALL_EP', '100663296'),
  both('1', 'ALLTOALL', 'ALLTOALL', '25165824'),
];

const microBatch = [
  layer('embedding_layer', '622731', 'ALLREDUCE', '50331648', ...idle, '15091072', 'NONE', '0'),
  ...Array.from({ length: 8 }, () => block).flat(),
  layer('final_column', '875420', 'ALLGATHER', '50331648', '875420', 'REDUCESCATTER', '0', '875420', 'NONE', '0'),
];

const ending = (name: string, bytes: string): string =>
  layer(name, '0', 'ALLREDUCE', bytes, '0', 'NONE', '0', '0', 'NONE', '0');
const last = [
  ...[1, 2, 3].map((i) => ending(`cross_entropy${i}`, '16384')),
  ...[1, 2, 3, 4].map((i) => ending(`optimizer${i}`, '4')),
];

const layers = [...gradients, ...Array.from({ length: 24 }, () => microBatch).flat(), ...last];

/** The text: 1,789 layers, TP 2, EP 16, PP 12. */
export const mixtureWorkload = [
  'HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 16 pp: 12 vpp: 8 ga: 24 all_gpus: 9216 checkpoints: 0 checkpoint_initiates: 0 pp_comm 251658240',
  String(layers.length),
  ...layers,
  '',
].join('\n');

// The fat trees that panels have to choose from, by name.

/** Parameters of each, and what people read. */
export const treeChoices: Readonly<
  Record<string, { readonly text: string; readonly parameters: Readonly<Record<string, unknown>> }>
> = {
  small: { text: '16 hosts', parameters: { k: 4 } },
  middle: { text: '128 hosts', parameters: { k: 8 } },
  tapered: {
    text: '384 hosts, half as many links upwards',
    parameters: { pods: 4, edgesPerPod: 6, hostsPerEdge: 16, aggregationPerPod: 8, cores: 12, coreGroups: 2 },
  },
};

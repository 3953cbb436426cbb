// Prefill-decode disaggregated inference: instances of prefill and of decode on ranks of their own, requests, and what
// becomes of each on the way. A request waits for a prefill instance, runs its prompt there, its keys and values go
// over the network to a decode instance, rank by rank, and decode makes its tokens. Source: communication-stack
// document, section 6.1 and its remarks on PD disaggregation, and central-controller document, section 6
// (KV-cache transfers; docs/SOURCES.md). First come, first served; a request takes the instance that is free first, the
// lowest of several.
// Invariant: an instance runs one prompt at a time; prefill does not depend on the network, so its times are known from
// the beginning.

/** Requests in columns, in order of arrival. */
export interface Requests {
  readonly count: number;
  readonly arrivalPs: Float64Array;
  readonly promptTokens: Float64Array;
  readonly outputTokens: Float64Array;
  /** of the prompt on a prefill instance */
  readonly prefillPs: Float64Array;
}

export interface Inference {
  readonly requests: Requests;
  /** hosts of each instance, all of one length; no host is in two instances */
  readonly prefill: readonly Int32Array[];
  readonly decode: readonly Int32Array[];
  /**
   * place p of a prefill instance sends to place (p + railShift) mod places of the decode instance: 0 same rail, else
   * cross rail
   */
  readonly railShift: number;
  readonly layerCount: number;
  /**
   * layers whose keys and values go in one transfer per rank, as soon as the last of them is computed; layerCount: all
   * at the end
   */
  readonly layersPerTransfer: number;
  /** bytes of keys and values of a token in one layer, of a rank */
  readonly cacheBytesPerTokenAndLayer: number;
  readonly decodeStepPs: number;
  /** traffic class of the transfers, 0 for none */
  readonly trafficClass: number;
}

/** Which instance runs a request's prompt, and from when. */
export interface PrefillSchedule {
  readonly instance: Int32Array;
  readonly startPs: Float64Array;
}

/** First come, first served: by request, the instance that is free first (the lowest of several) and when it begins. */
export function schedulePrefill(requests: Requests, instances: number): PrefillSchedule {
  const freePs = new Float64Array(instances);
  const instance = new Int32Array(requests.count);
  const startPs = new Float64Array(requests.count);
  for (let request = 0; request < requests.count; request++) {
    let best = 0;
    for (let other = 1; other < instances; other++) if (freePs[other]! < freePs[best]!) best = other;
    startPs[request] = Math.max(requests.arrivalPs[request]!, freePs[best]!);
    freePs[best] = startPs[request]! + requests.prefillPs[request]!;
    instance[request] = best;
  }
  return { instance, startPs };
}

/** The decode instance of a request: each in turn. */
export function decodeInstance(inference: Inference, request: number): number {
  return request % inference.decode.length;
}

/** Groups of layers that go one after the other. */
export function transferGroups({
  layerCount,
  layersPerTransfer,
}: Pick<Inference, 'layerCount' | 'layersPerTransfer'>): number {
  return Math.ceil(layerCount / layersPerTransfer);
}

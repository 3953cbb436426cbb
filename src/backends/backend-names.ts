// The levels of detail at which a run may be simulated, and what sets them apart for everybody who only asks "are there
// packets".

/**
 * packet: every packet; fluid: flows as streams that share links fairly; analytical: every flow as if alone,
 * collectives by closed forms
 */
export const backendNames = ['packet', 'fluid', 'analytical'] as const;
export type BackendName = (typeof backendNames)[number];

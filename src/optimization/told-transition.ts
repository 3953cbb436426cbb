// Steps and faults of a transition, for layers that do not route.

export type { TransitionFault as ToldFault, TransitionStep as ToldStep } from '../routing/route-transition.js';

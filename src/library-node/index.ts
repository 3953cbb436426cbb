/**
 * `@weft-sim/weft/node`: what only Node can give: a host that reads files, with clocks and native SHA-256,
 * and one with a solver for routes.
 *
 * ```ts
 * import { planFromFile, simulate } from '@weft-sim/weft';
 * import { nodeHost } from '@weft-sim/weft/node';
 * const host = nodeHost();
 * const run = await simulate(await planFromFile('scenario.yaml', { host }), { host });
 * ```
 *
 * @module @weft-sim/weft/node
 */

export { nodeHost } from '../storage/node-host.js';
export { routeHost, type RouteHostOptions } from './route-host.js';

// How often random tests draw: in full in `npm test`, a fifth of it in the everyday `npm run check`, which people wait
// for.

const isEveryday = process.env['npm_lifecycle_event'] === 'check';

/** @param full draws in `npm test` */
export function rounds(full: number): number {
  return isEveryday ? Math.ceil(full / 5) : full;
}

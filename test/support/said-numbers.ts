// Numbers as sentences for people have them, beside what they stand for.

/** A number as it is said. */
export const toNumber = (text: string): number => Number(text.replaceAll(',', ''));

/** Said with so many digits as stand there. */
export function near(what: string, said: string, read: number, least = read): string[] {
  const step = 10 ** -(said.split('.')[1]?.length ?? 0);
  const value = toNumber(said);
  const slack = 0.51 * step + 1e-9 * Math.abs(value);
  return value < Math.min(least, read) - slack || value > Math.max(least, read) + slack
    ? [`${what}: said ${said}, records have ${least === read ? read : `${least} to ${read}`}`]
    : [];
}

/** A time of four digits. */
export function nearTime(what: string, said: string, leastPs: number, mostPs: number): string[] {
  const [, value, unit] = /^([\d.]+)(\w+)$/.exec(said.replaceAll(',', ''))!;
  const timePs = Number(value) * { s: 1e12, ms: 1e9, us: 1e6, ns: 1e3, ps: 1 }[unit as 's' | 'ms' | 'us' | 'ns' | 'ps'];
  const slackPs = 1e-3 * timePs + 1;
  return timePs < leastPs - slackPs || timePs > mostPs + slackPs
    ? [`${what}: said ${said}, records have ${leastPs} to ${mostPs} ps`]
    : [];
}

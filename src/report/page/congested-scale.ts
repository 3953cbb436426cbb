// Widths and shades of congested-fraction plots: the wider the more traffic, the darker the larger the share of it that
// met congestion. Drawings and the page's slider take both from here.
// Invariant: plots with the same number of packets per pixel can be compared; a bar of a host is `barFactor` times as wide as a line
// with the same traffic.

/** Shades are steps of a tenth. */
export const lastShade = 10;
/** width of a line that a scale of our own gives to the most traffic, in pixels, where lines are few and where many */
const widestLine = { few: 12, many: 3 };
const fewLines = 100;
/** lines are cut beyond, where the scale was given */
const mostLine = 36;
export const barFactor = 4;
/** traffic that would be thinner is drawn this thin, so that it is seen */
const leastWidth = 0.4;

/** The shade of a share: 0 to lastShade. */
export function shadeOf(congested: number, traffic: number): number {
  return traffic > 0 ? Math.round(Math.min(1, congested / traffic) * lastShade) : 0;
}

/** The class of a mark with a size of its own, in its shade. */
export function cellClass(packets: number, shade: number): string {
  return packets > 0 ? `b${shade}` : 'none';
}

/** Width of what carries so many packets. @param room of a bar, at most; 0: it is a line */
export function markWidth(packets: number, packetsPerPixel: number, room: number): number {
  if (packets <= 0) return 0;
  const own = (packets / packetsPerPixel) * (room > 0 ? barFactor : 1);
  return Math.max(leastWidth, Math.min(room > 0 ? room : mostLine, own));
}

/** Whether it would be wider than there is room for. */
export function isCut(packets: number, packetsPerPixel: number, room: number): boolean {
  return (packets / packetsPerPixel) * (room > 0 ? barFactor : 1) > (room > 0 ? room : mostLine) * (1 + 1e-9);
}

/** Packets per pixel at which this traffic just fits. @param lines in the plot: the more, the thinner they are */
export function fittingScale(packets: number, room: number, lines: number): number {
  if (room > 0) return (barFactor * packets) / room;
  const widest = widestLine.few * Math.sqrt(fewLines / Math.max(fewLines, lines));
  return packets / Math.max(widestLine.many, widest);
}

/** The next of 1, 2, 5, 10, ... */
export function roundUp(value: number): number {
  let decade = 1;
  while (decade < value) decade *= 10;
  while (decade / 10 >= value && decade > 1e-9) decade /= 10;
  return [decade / 5, decade / 2, decade].find((own) => own >= value * (1 - 1e-9)) ?? decade;
}

// Times as exporters print them: seconds since 1970 with decimals, milli-, micro- or nanoseconds by their size, or a
// date of ISO 8601 in UTC or with an offset.

/** Days from 1970-01-01 to a day of the Gregorian calendar (H. Hinnant, "chrono-compatible low-level date algorithms"). */
function daysSince1970(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const ofEra = shifted - era * 400;
  const ofYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719_468;
}

const dateForm =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,12}))?)?\s?(?:Z|UTC|([+-])(\d{2}):?(\d{2}))?$/i;

/** Picoseconds since 1970 (a double: exact to some 0.2 ms today); null if it is no time. */
export function printedTimePs(text: string): number | null {
  if (/^\d{1,20}(?:\.\d{1,12})?(?:e\+?\d{1,2})?$/i.test(text)) {
    const value = Number(text);
    const unit = value < 1e11 ? 1e12 : value < 1e14 ? 1e9 : value < 1e17 ? 1e6 : 1e3;
    return value * unit;
  }
  const [, year, month, day, hour, minute, second = '0', decimals = '0', sign, hours = '0', minutes = '0'] =
    dateForm.exec(text) ?? [];
  if (year === undefined || Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > 31) return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return null;
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
  const seconds =
    daysSince1970(Number(year), Number(month), Number(day)) * 86_400 +
    Number(hour) * 3600 +
    Number(minute) * 60 +
    Number(second) -
    offset;
  return (seconds + Number(`0.${decimals}`)) * 1e12;
}

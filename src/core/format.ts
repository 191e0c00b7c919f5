/**
 * @file Numbers and lists formatted for people. Every figure, table and sentence of a report uses it.
 *
 *     percent(0.9873)              98.7
 *     percent(0.99998)             >99.9     never "100.0" for something that was not always right
 *     percentRange(-0.2, 0.1)      −20.0 to 10.0     and 10.0-20.0 where nothing is below 0
 *     listed(["a", "b", "c"])      a, b and c
 */

/** A share as percent with one decimal and without the sign. 100.0 means exactly 1, 0.0 exactly 0. */
export function percent(share: number): string {
  const rounded = Math.abs(share * 100).toFixed(1);
  if (share < 1 && share > 0 && rounded === "100.0") return ">99.9";
  if (share > 0 && rounded === "0.0") return "<0.1";
  return `${share < 0 && rounded !== "0.0" ? "\u2212" : ""}${rounded}`;
}

/** From the lowest share to the highest; "to" replaces the hyphen if a bound is negative, since "−2.0-−1.0" is unreadable. */
export function percentRange(lowest: number, highest: number): string {
  return `${percent(lowest)}${lowest < 0 ? " to " : "-"}${percent(highest)}`;
}

export function percentSign(share: number): string {
  return `${percent(share)}\u00A0%`;
}

/** 12345 -> 12,345 (the same in every locale). */
export function integer(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** 86412 -> 86k, 1250000 -> 1.3M. */
export function short(value: number): string {
  if (value >= 999_500) return `${(value / 1e6).toFixed(1)}M`;
  return value >= 10_000 ? `${Math.round(value / 1000)}k` : integer(value);
}

export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${seconds < 10 ? seconds.toFixed(1) : whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.round(whole / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Any number with four digits, whole ones whole: 1.356, 0.0021, 1241. */
export function measured(value: number): string {
  return String(Number(value.toPrecision(4))).replace(/^-/, "\u2212");
}

/** With a true minus sign; a value that rounds to zero has no sign. */
export function signed(value: number, digits: number): string {
  return value
    .toFixed(digits)
    .replace(/^-(0(\.0*)?)$/, "$1")
    .replace("-", "\u2212");
}

export function formatList(items: readonly string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${integer(count)} ${count === 1 ? one : many}`;
}

/** At most `length` characters, the last an ellipsis where something was cut; never half of a surrogate pair. */
export function shortened(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length
    ? text
    : `${characters
        .slice(0, length - 1)
        .join("")
        .trimEnd()}\u2026`;
}

/** Lines of at most `length` characters, broken at spaces; longer words are shortened. */
export function wrapped(text: string, length: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((part) => part !== "")) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && [...longer].length <= length) lines[lines.length - 1] = longer;
    else lines.push(shortened(word, length));
  }
  return lines;
}

/** Quotes a word of a command for a POSIX shell: `'with space'`. */
export function shellWord(word: string): string {
  return /^[\w=.,:@%/+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

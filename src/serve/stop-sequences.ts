/**
 * @file Stop strings in streamed text: the text ends before the first complete one (of two that complete together, the longer), however
 * it is chunked, and a possible beginning of one is withheld.
 *
 *     const text = untilStop(["\n>>>"]);
 *     text.push("2")        { text: "2" }
 *     text.push("\n")       { text: "" }                    may be the start of "\n>>>"
 *     text.push(">>> ")     { text: "", stop: "\n>>>" }
 *     text.rest()           the withheld text, if the stream ends without a stop string
 */

interface StoppedText {
  push(piece: string): { readonly text: string; readonly stop?: string };
  rest(): string;
}

export function untilStop(stops: readonly string[]): StoppedText {
  let held = "";
  return {
    push(piece) {
      held += piece;
      const [first] = stops
        .map((stop) => ({ stop, start: held.indexOf(stop), length: stop.length }))
        .filter(({ start }) => start >= 0)
        .sort((a, b) => a.start + a.length - (b.start + b.length) || a.start - b.start);
      if (first !== undefined) {
        const text = held.slice(0, first.start);
        held = "";
        return { text, stop: first.stop };
      }
      const text = held.slice(0, held.length - longestStart(held, stops));
      held = held.slice(text.length);
      return { text };
    },
    rest() {
      const text = held;
      held = "";
      return text;
    },
  };
}

/** Length of the longest suffix of the text that is a proper prefix of a stop string. */
function longestStart(text: string, stops: readonly string[]): number {
  let longest = 0;
  for (const stop of stops) {
    for (let length = Math.min(stop.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(stop.slice(0, length))) longest = length;
    }
  }
  return longest;
}

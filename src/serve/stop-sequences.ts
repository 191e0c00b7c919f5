/**
 * @file Stop strings in a text that arrives in pieces: it ends before the first of them that is complete (of
 * two that are complete at once, the longer), however it is cut into pieces, and nothing that may still become one is let out.
 *
 *     const text = untilStop(["\n>>>"]);
 *     text.push("2")        { text: "2", stopped: false }
 *     text.push("\n")       { text: "", stopped: false }          may be the start of "\n>>>"
 *     text.push(">>> ")     { text: "", stopped: true }
 *     text.rest()           what is held back when the text ends by itself
 */

export interface StoppedText {
  push(piece: string): { readonly text: string; readonly stopped: boolean };
  rest(): string;
}

export function untilStop(stops: readonly string[]): StoppedText {
  let held = "";
  return {
    push(piece) {
      held += piece;
      const [first] = stops
        .map((stop) => ({ start: held.indexOf(stop), length: stop.length }))
        .filter(({ start }) => start >= 0)
        .sort((a, b) => a.start + a.length - (b.start + b.length) || a.start - b.start);
      if (first !== undefined) {
        const text = held.slice(0, first.start);
        held = "";
        return { text, stopped: true };
      }
      const text = held.slice(0, held.length - longestStart(held, stops));
      held = held.slice(text.length);
      return { text, stopped: false };
    },
    rest() {
      const text = held;
      held = "";
      return text;
    },
  };
}

/** How many characters at the end of a text are the beginning of a stop string, at most. */
function longestStart(text: string, stops: readonly string[]): number {
  let longest = 0;
  for (const stop of stops) {
    for (let length = Math.min(stop.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(stop.slice(0, length))) longest = length;
    }
  }
  return longest;
}

/**
 * @file A sample program with the parts that a model must predict marked, in shape as well as colour.
 *
 *     >>> a, b = b, a
 *     >>> print('a', a)
 *     a [2]              <- the model must predict this
 *
 *     1 0:1: 1:0:        between colons: asked for after the word, and not written
 */

import { fail } from "../core/error.ts";
import type { Sample } from "../schemas/experiment-result.ts";
import { element, type Markup } from "./svg.ts";

/** Raises a LabError where a reveal lies outside of the text or across another. */
export function sampleTrace({ text, reveals }: Sample): Markup {
  const pieces: (Markup | string)[] = [];
  let done = 0;
  let noted = 0;
  for (const [i, { start, end, answer }] of inOrder(text, reveals).entries()) {
    const written = end > start;
    pieces.push(
      text.slice(done, start),
      element(
        "mark",
        { title: `The model must predict ${answer}`, ...(!written && { class: "asked" }) },
        written ? text.slice(start, end) : answer,
      ),
    );
    done = end;
    const endOfLine = text.indexOf("\n", end) === -1 ? text.length : text.indexOf("\n", end);
    const next = reveals[i + 1];
    if (next !== undefined && next.start <= endOfLine) continue; // One note a line, after its last reveal.
    pieces.push(text.slice(end, endOfLine), element("span", { class: "note" }, noteOf(written, noted)));
    done = endOfLine;
    noted++;
  }
  pieces.push(text.slice(done));
  return element("pre", { class: "trace" }, element("code", {}, pieces));
}

function noteOf(written: boolean, noted: number): string {
  if (!written) return "\u2190 dashed: predicted, not in the text";
  return noted === 0 ? "\u2190 the model must predict this" : "\u2190 and this";
}

function inOrder(text: string, reveals: Sample["reveals"]): Sample["reveals"] {
  let previous = 0;
  for (const reveal of reveals) {
    if (
      reveal.start < previous ||
      reveal.end < reveal.start ||
      reveal.answer === "" ||
      reveal.end > text.length
    ) {
      fail(
        "report, sample",
        `reveals in order inside ${text.length} characters`,
        reveal,
        undefined,
        "corrupt",
      );
    }
    previous = reveal.end;
  }
  return reveals;
}

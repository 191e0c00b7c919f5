/**
 * @file A session that a visitor makes: first values, swaps, how often it prints; as text, and with the true slots.
 *
 *     start 2 1 3, swaps ab bc, spacing 2     >>> a = 2 ... >>> a, b = b, a  >>> b, c = c, b  >>> print('c', c)  c 1 ...
 *     moments                                 2 1 3  ->  1 2 3  ->  1 3 2
 *
 * The text is word for word one of the task `repl`: what a model reads here is what it was trained on.
 */

import { type Rng, rngFrom } from "../../src/core/rng.ts";

export const SWAPS = ["ab", "ac", "bc"] as const;
export type Swap = (typeof SWAPS)[number];
export const VARIABLES = ["a", "b", "c"] as const;

export interface Session {
  /** The value of each variable at first, 1 to 3, each once. */
  readonly start: readonly number[];
  readonly swaps: readonly Swap[];
  /** Swaps from one print to the next. */
  readonly spacing: number;
  /** One variable is printed, or all. */
  readonly reveal: "partial" | "full";
  /** Decides which variables are printed. */
  readonly seed: number;
}

/** The most swaps that the page takes: beyond them attention takes more than a few seconds. */
export const MOST_SWAPS = 96;

export interface Reveal {
  /** After so many swaps. */
  readonly after: number;
  readonly variable: number;
  /** 1 to 3. */
  readonly value: number;
  /** The text before the value. */
  readonly before: string;
}

export interface Played {
  readonly text: string;
  /** The value of each variable, after 0, 1, 2 ... swaps. */
  readonly moments: readonly (readonly number[])[];
  readonly reveals: readonly Reveal[];
  /** The text in its lines; each with the number of swaps that have run when it is read. */
  readonly lines: readonly {
    readonly text: string;
    readonly after: number;
    readonly kind: "set" | "swap" | "print";
  }[];
}

export function play({ start, swaps, spacing, reveal, seed }: Session): Played {
  const rng = rngFrom(seed).fork("prints");
  const held = [...start];
  const moments = [[...held]];
  const reveals: Reveal[] = [];
  const lines: { text: string; after: number; kind: "set" | "swap" | "print" }[] = [];
  let text = "";
  const line = (written: string, after: number, kind: "set" | "swap" | "print") => {
    lines.push({ text: written, after, kind });
    text += `${written}\n`;
  };
  for (const [i, name] of VARIABLES.entries()) line(`>>> ${name} = ${held[i]}`, 0, "set");
  for (const [i, swap] of swaps.entries()) {
    const after = i + 1;
    const [x, y] = [...swap].map((name) => VARIABLES.indexOf(name as (typeof VARIABLES)[number]));
    [held[x], held[y]] = [held[y], held[x]];
    moments.push([...held]);
    line(`>>> ${swap[0]}, ${swap[1]} = ${swap[1]}, ${swap[0]}`, after, "swap");
    if (after % spacing !== 0) continue;
    for (const variable of reveal === "full" ? [0, 1, 2] : [rng.below(3)]) {
      const name = VARIABLES[variable];
      line(`>>> print('${name}', ${name})`, after, "print");
      reveals.push({ after, variable, value: held[variable], before: `${text}${name} ` });
      line(`${name} ${held[variable]}`, after, "print");
    }
  }
  return { text, moments, reveals, lines };
}

/** A session of so many swaps, all of it drawn. */
export function drawn(length: number, spacing: number, reveal: Session["reveal"], seed: number): Session {
  const rng: Rng = rngFrom(seed);
  const start = [1, 2, 3];
  for (let i = 2; i > 0; i--) {
    const j = rng.below(i + 1);
    [start[i], start[j]] = [start[j], start[i]];
  }
  return { start, swaps: Array.from({ length }, () => SWAPS[rng.below(3)]), spacing, reveal, seed };
}

/** The text up to the value that would be printed next. */
export const printed = (text: string, name: string) => `${text}>>> print('${name}', ${name})\n${name} `;

/** Each variable as if it were printed next; a reveal at this place is still to come. */
export function questionsAt({ lines }: Played, at: number) {
  const text = lines
    .filter(({ after, kind }) => after < at || (after === at && kind !== "print"))
    .map((line) => `${line.text}\n`)
    .join("");
  return VARIABLES.map((name) => {
    const before = printed(text, name);
    return { text: before, places: [before] };
  });
}

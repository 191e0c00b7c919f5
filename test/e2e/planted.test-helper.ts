/**
 * @file Files with one fault each, for the tests of `statelab check`: a good model and two good tasks, and what is done to them.
 * `finds` is the check that must name it.
 */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const example = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../examples/${name}`, import.meta.url)), "utf8");

/** A Python session: two variables, swaps, and a print at the end. */
const session = `
import { defineTask, z } from "statelab";
const words = [">>> a = 0\\n", ">>> b = 1\\n", ">>> a, b = b, a\\n", ">>> print('a', a)\\na ", "0", "1", "\\n", ">>> a = a\\n"];
export default defineTask({
  name: "swaps", summary: "swaps of two", source: "made up",
  params: z.strictObject({ commands: z.int().default(5) }),
  prepare: ({ commands }) => ({
    words, variables: ["a", "b"], values: ["0", "1"], maximumWords: commands + 5,
    write(rng, sink) {
      let a = 0;
      sink.word(0);
      sink.word(1);
      sink.state([a, 1 - a]);
      for (let i = 0; i < commands; i++) {
        const swapped = rng.below(2);
        sink.word(swapped ? 2 : 7);
        a = swapped ? 1 - a : a;
        sink.state([a, 1 - a]);
      }
      sink.word(3);
      sink.reveal(0, a);
      sink.word(4 + a);
      sink.word(6);
    },
    references: { exactBayes: ({ reveals }) => reveals.map(() => 1) },
  }),
});
`;

export const good = {
  "model.ts": example("my-model.ts"),
  "lamp.ts": example("my-task.ts"),
  "session.ts": session,
} as const;

export interface Planted {
  readonly base: keyof typeof good;
  /** Each text of the good file, and its replacement. */
  readonly edits: readonly (readonly [from: string, to: string])[];
  readonly finds: string;
  /** Of what is said. */
  readonly says: RegExp;
}

export const planted: Readonly<Record<string, Planted>> = {
  "not-causal": {
    base: "model.ts",
    edits: [
      ["  add,\n", "  add,\n  sum,\n"],
      [
        "const h = transpose(outputs[0], [1, 0, 2]); // [B, T, d]",
        "const h = add(transpose(outputs[0], [1, 0, 2]), expand(sum(x, { axes: [1], keep: true }), [batch, length, width]));",
      ],
    ],
    finds: "causal",
    says: /^the logits at position 0 change by .* with the token at position 1, which comes later$/,
  },
  "wrong-step": {
    base: "model.ts",
    edits: [
      [
        "const after = add(multiply(a, h), linear(x, p.write));\n    const o",
        "const after = linear(x, p.write);\n    const o",
      ],
    ],
    finds: "step equals sequence",
    says: /^at position 1 the logits of `step` differ by .* from those of `apply`$/,
  },
  "rows-mixed": {
    base: "model.ts",
    edits: [
      ["  add,\n", "  add,\n  sum,\n"],
      [
        "linear(x, p.write)].map",
        "add(linear(x, p.write), expand(sum(x, { axes: [0], keep: true }), [batch, length, width]))].map",
      ],
    ],
    finds: "batch rows independent",
    says: /^row 0 of a batch has logits that differ by /,
  },
  "sessions-mixed": {
    base: "model.ts",
    edits: [["  apply(p, x, config,", "  packs: true,\n\n  apply(p, x, config,"]],
    finds: "packed sessions independent",
    says: /^session 1 of a row has logits that differ by .* though `packs` is declared$/,
  },
  "wrong-gradient": {
    base: "model.ts",
    edits: [
      ["  add,\n", "  add,\n  node,\n"],
      [
        "return least === -1 ? tanh(linear(x, weight))",
        'const z = linear(x, weight);\n  if (least === -1) return node("Tanh", [z], { shape: z.shape, gradient: (dy) => [dy] });\n  return least === -1 ? tanh(linear(x, weight))',
      ],
    ],
    finds: "gradients against finite differences",
    says: /^the gradient of .* says .* where finite differences say /,
  },
  "chance-in-init": {
    base: "model.ts",
    edits: [
      [
        'write: normal(rng.fork("write"), [width, width]),',
        "write: normal({ ...rng, next: Math.random, normal: () => Math.random() - 0.5 } as typeof rng, [width, width]),",
      ],
    ],
    finds: "no Math.random",
    says: /^Math\.random is called \(\d+ times\)/,
  },
  "counted-init": {
    base: "model.ts",
    edits: [
      ["type Config =", "let calls = 0;\ntype Config ="],
      ['normal(rng.fork("out"), [width, width])', 'normal(rng.fork("out" + calls++), [width, width])'],
    ],
    finds: "deterministic",
    says: /^`init` gives other numbers for .*out when it is called again with the same seed$/,
  },
  "reveal-contradicts-word": {
    base: "lamp.ts",
    edits: [["sink.reveal(0, lit)", "sink.reveal(0, 1 - lit)"]],
    finds: "reveals true",
    says: /^example 0: it reveals that lamp is (on|off), and the text says "[^"]+" there$/,
  },
  "state-not-true": {
    base: "lamp.ts",
    edits: [
      ["lit ^= flipped;\n          sink.state([lit]);", "sink.state([lit]);\n          lit ^= flipped;"],
    ],
    finds: "reveals true",
    says: /^example \d+: it reveals that lamp is (on|off), and the state holds (on|off)$/,
  },
  "no-states": {
    base: "lamp.ts",
    edits: [
      ["        sink.state([lit]);\n        for", "        for"],
      ["          sink.state([lit]);\n", ""],
    ],
    finds: "states given",
    says: /^example 0: no state is given$/,
  },
  "reference-above-1": {
    base: "lamp.ts",
    edits: [["reveals.map(() => 1)", "reveals.map(() => 1.5)"]],
    finds: "references are shares",
    says: /^example 0: reference exactBayes says 1\.5, which is no share from 0 to 1$/,
  },
  "bound-too-low": {
    base: "lamp.ts",
    edits: [["maximumWords: 3 + commands", "maximumWords: commands"]],
    finds: "lengths in bounds",
    says: /^example 0: it has \d+ words, and maximumWords is \d+$/,
  },
  "not-what-python-does": {
    base: "session.ts",
    edits: [[">>> a, b = b, a\\n", ">>> a, b = a, b\\n"]],
    finds: "CPython agrees",
    says: /^example \d+: after 'a, b = a, b' a is 0, and the state says 1$/,
  },
  "chance-in-write": {
    base: "session.ts",
    edits: [["rng.below(2)", "Math.floor(2 * Math.random())"]],
    finds: "no Math.random",
    says: /draw from the `rng` that is handed in$/,
  },
  "remembers-examples": {
    base: "lamp.ts",
    edits: [
      ["      write(rng, sink) {", "      write(rng, sink) {\n        seen++;"],
      ["export default", "let seen = 0;\nexport default"],
      ["let lit = 0;", "let lit = seen % 2;"],
    ],
    finds: "deterministic",
    says: /^example \d+ is another when it is drawn again with the same seed, in another order$/,
  },
};

export function textOf({ base, edits }: Planted): string {
  return edits.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`nothing to replace: ${from}`);
    return text.replace(from, () => to);
  }, good[base] as string);
}

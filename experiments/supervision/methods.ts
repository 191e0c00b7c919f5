/** @file The ways to teach that the experiments on state supervision compare. */

export interface Method {
  readonly label: string;
  readonly summary: string;
  readonly supervision?: Readonly<Record<string, unknown>>;
  /** Lengths are drawn from 2 up to the one that is asked about. */
  readonly curriculum?: boolean;
}

export const methods = {
  linear: {
    label: "linear head",
    summary: "state supervision: a linear classifier on the hidden vector after each line",
    supervision: { head: "linear" },
  },
  decoder: {
    label: "decoder head",
    summary:
      "state supervision: a 2-layer, 64-wide Transformer spells the state from the hidden vector after each line",
    supervision: { head: "decoder" },
  },
  "contrastive 0.1": {
    label: "contrastive, weight 0.1",
    summary:
      "state supervision: the hidden vector after each line is told to be near its state, as the model reads it",
    supervision: { head: "contrastive", weight: 0.1 },
  },
  "contrastive 1": {
    label: "contrastive, weight 1",
    summary: "the same with ten times the weight",
    supervision: { head: "contrastive", weight: 1 },
  },
  curriculum: {
    label: "curriculum",
    summary: "no state supervision; lengths drawn from 2 to the longest (Zaremba and Sutskever)",
    curriculum: true,
  },
  unsupervised: { label: "unsupervised", summary: "no state supervision, no curriculum" },
} as const satisfies Record<string, Method>;
export type MethodName = keyof typeof methods;

export function describedMethods<Name extends MethodName>(names: readonly Name[]) {
  return Object.fromEntries(
    names.map((name) => [name, { label: methods[name].label, summary: methods[name].summary }]),
  ) as Record<Name, { readonly label: string; readonly summary: string }>; // the names that are given
}

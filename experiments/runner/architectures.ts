/** @file The sequence models that experiments compare: what each is called in a report, and its configuration. */

interface Architecture {
  readonly label: string;
  readonly summary: string;
  /** The model's own fields; layers, width and feed-forward are the experiment's. */
  readonly model: (heads: number) => { readonly name: string; readonly [field: string]: unknown };
}

const three = <Name extends string>(recurrent: Name) =>
  [recurrent, recurrent, recurrent, "transformer"] as const;

export const architectures = {
  "deltanet[-1,1]": {
    label: "DeltaNet [-1,1]",
    summary: "linear RNN with the delta rule, beta in (0, 2): a transition can be a reflection",
    model: (heads) => ({ name: "deltanet", betaMax: 2, convolution: 4, heads }),
  },
  "deltanet[0,1]": {
    label: "DeltaNet [0,1]",
    summary: "the same with beta in (0, 1): a transition can only shrink",
    model: (heads) => ({ name: "deltanet", betaMax: 1, convolution: 4, heads }),
  },
  transformer: {
    label: "Transformer",
    summary: "causal softmax attention with rotary positions (Llama block)",
    model: (heads) => ({ name: "transformer", convolution: 0, heads }),
  },
  "transformer+convolution": {
    label: "Transformer with convolution",
    summary: "the same with DeltaNet's short convolution on queries, keys and values",
    model: (heads) => ({ name: "transformer", convolution: 4, heads }),
  },
  lstm: {
    label: "LSTM",
    summary: "nonlinear recurrent network",
    model: () => ({ name: "lstm" }),
  },
  gru: {
    label: "GRU",
    summary: "nonlinear recurrent network with fewer gates",
    model: () => ({ name: "gru" }),
  },
  "sr-gru": {
    label: "SR-GRU",
    summary: "state-regularized GRU: its hidden vector is drawn to a mixture of 16 learned centroids",
    model: () => ({ name: "sr-gru", centroids: 16 }),
  },
  "gated-deltanet[-1,1]": {
    label: "Gated DeltaNet [-1,1]",
    summary: "DeltaNet that can also forget, beta in (0, 2)",
    model: (heads) => ({ name: "gated-deltanet", betaMax: 2, heads }),
  },
  "gated-deltanet[0,1]": {
    label: "Gated DeltaNet [0,1]",
    summary: "the same with beta in (0, 1)",
    model: (heads) => ({ name: "gated-deltanet", betaMax: 1, heads }),
  },
  "hybrid[-1,1]": {
    label: "Hybrid [-1,1]",
    summary: "three layers of Gated DeltaNet [-1,1], then one of attention",
    model: (heads) => ({
      name: "hybrid",
      pattern: three("gated-deltanet"),
      "gated-deltanet": { heads, betaMax: 2 },
      transformer: { heads },
    }),
  },
  "hybrid[0,1]": {
    label: "Hybrid [0,1]",
    summary: "three layers of Gated DeltaNet [0,1], then one of attention",
    model: (heads) => ({
      name: "hybrid",
      pattern: three("gated-deltanet"),
      "gated-deltanet": { heads, betaMax: 1 },
      transformer: { heads },
    }),
  },
  "mamba[0,1]": {
    label: "Mamba [0,1]",
    summary: "diagonal linear RNN whose transition lies in [0, 1]",
    model: () => ({ name: "mamba", transition: "[0,1]" }),
  },
  "mamba[-1,1]": {
    label: "Mamba [-1,1]",
    summary: "the same with a transition in [-1, 1]",
    model: () => ({ name: "mamba", transition: "[-1,1]" }),
  },
  mlstm: {
    label: "mLSTM",
    summary: "matrix memory with exponential gates; linear in its state",
    model: (heads) => ({ name: "mlstm", heads }),
  },
  slstm: {
    label: "sLSTM",
    summary: "nonlinear recurrent network with exponential gates",
    model: (heads) => ({ name: "slstm", heads }),
  },
} as const satisfies Record<string, Architecture>;

export type ArchitectureName = keyof typeof architectures;

/** Names with their labels and summaries, as a report wants them. */
export function described<Name extends ArchitectureName>(names: readonly Name[]) {
  return Object.fromEntries(
    names.map((name) => {
      const { label, summary } = architectures[name];
      return [name, { label, summary }];
    }),
  ) as Record<Name, { readonly label: string; readonly summary: string }>; // the names that are given
}

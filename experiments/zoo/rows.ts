/**
 * @file The architectures of the zoo, a line each: width 32, no short convolution, as many layers as the column says. A name is frozen: an architecture
 * with other settings is another row. Its class stands in predictions.ts, before it is ever trained.
 */

export interface ZooRow {
  readonly label: string;
  readonly summary: string;
  /** The mixer and its own fields; layers, width and feed-forward are the same for all. */
  readonly model: { readonly name: string; readonly [field: string]: unknown };
  /** It takes the short convolution of a column though `model` does not name one: it has the field since it was first measured, as `model` stands. */
  readonly convolves?: true;
}

const heads = 2;

export const rows: Readonly<Record<string, ZooRow>> = {
  mlstm: {
    label: "mLSTM",
    summary: "matrix memory with exponential gates",
    model: { name: "mlstm", heads, convolution: 0 },
  },
  "mlstm-block": {
    label: "xLSTM, mLSTM block",
    summary: "matrix memory with exponential gates in twice the width, without a feed-forward layer",
    model: { name: "mlstm-block", heads, blockSize: 4, convolution: 0 },
  },
  "mamba-positive": {
    label: "Mamba [0,1]",
    summary: "diagonal, transition in [0, 1]",
    model: { name: "mamba", transition: "[0,1]", convolution: 0 },
  },
  mamba: {
    label: "Mamba [-1,1]",
    summary: "diagonal, transition in [-1, 1]",
    model: { name: "mamba", transition: "[-1,1]", convolution: 0 },
  },
  "deltanet-positive": {
    label: "DeltaNet [0,1]",
    summary: "delta rule, beta to 1",
    model: { name: "deltanet", heads, betaMax: 1, convolution: 0 },
  },
  deltanet: {
    label: "DeltaNet [-1,1]",
    summary: "delta rule, beta to 2",
    model: { name: "deltanet", heads, betaMax: 2, convolution: 0 },
  },
  "gated-deltanet-positive": {
    label: "Gated DeltaNet [0,1]",
    summary: "delta rule with a forget gate, beta to 1",
    model: { name: "gated-deltanet", heads, betaMax: 1, convolution: 0 },
  },
  "gated-deltanet": {
    label: "Gated DeltaNet [-1,1]",
    summary: "delta rule with a forget gate, beta to 2",
    model: { name: "gated-deltanet", heads, betaMax: 2, convolution: 0 },
  },
  gla: {
    label: "GLA",
    summary: "additive memory with a decay for each channel",
    model: { name: "gla", heads, decay: true, convolution: 0 },
  },
  "log-linear": {
    label: "Log-linear",
    summary: "additive memories with one decay a head, one for each power of two of the past",
    model: { name: "log-linear", heads, longest: 2048 },
    convolves: true,
  },
  gka: {
    label: "Gated KalmaNet",
    summary: "additive memory with one decay a head, read by ridge regression",
    model: { name: "gka", heads, convolution: 0 },
  },
  sse: {
    label: "SSE",
    summary: "GLA with four more memories, of which each token writes and reads one",
    model: { name: "sse", heads, partitions: 4, chosen: 1 },
    convolves: true,
  },
  cached: {
    label: "Cached GLA",
    summary:
      "GLA whose memories at the ends of segments of 16 tokens are kept and read again, weighed by a softmax",
    model: { name: "cached", base: "gla", segment: 16, mode: "gated", writing: "checkpoint", heads },
    convolves: true,
  },
  lact: {
    label: "LaCT",
    summary:
      "a network in each head that learns while it reads, eight tokens at a time, beside a window of as many",
    model: { name: "lact", heads, chunk: 8, expansion: 1, window: 8, momentum: true, orthogonal: false },
  },
  "lact-1": {
    label: "LaCT, chunks of 1",
    summary: "the same, but that it learns after every token",
    model: { name: "lact", heads, chunk: 1, expansion: 1, window: 8, momentum: true, orthogonal: false },
  },
  mamba2: {
    label: "Mamba-2",
    summary: "additive memory with one decay for each head",
    model: { name: "mamba2", heads, convolution: 0 },
  },
  "kda-positive": {
    label: "KDA [0,1]",
    summary: "delta rule with a decay for each channel, beta to 1",
    model: { name: "kda", heads, betaMax: 1, convolution: 0 },
  },
  kda: {
    label: "KDA [-1,1]",
    summary: "delta rule with a decay for each channel, beta to 2",
    model: { name: "kda", heads, betaMax: 2, convolution: 0 },
  },
  rwkv7: {
    label: "RWKV-7",
    summary: "diagonal plus rank one, removal and writing apart",
    model: { name: "rwkv7", heads },
  },
  mamba3: {
    label: "Mamba-3",
    summary: "additive memory that turns by angles the input chooses",
    model: { name: "mamba3", heads },
  },
  "mamba3-long": {
    label: "Mamba-3, long steps",
    summary:
      "the same, but that its first steps are 0.5 to 1 long and fade little, so that halves of a turn are in reach",
    model: { name: "mamba3", heads, firstStep: [0.5, 1], firstRate: -6 },
  },
  "mamba3-still": {
    label: "Mamba-3, no turns",
    summary: "the one with long steps without its angles: what it adds to this is that it turns",
    model: { name: "mamba3", heads, firstStep: [0.5, 1], firstRate: -6, turning: 0 },
  },
  s5: {
    label: "S5",
    summary: "one diagonal state for all channels that fades and turns by itself, the same at every token",
    model: { name: "s5", stateSize: 64 },
  },
  s4d: {
    label: "S4D",
    summary: "a diagonal state a channel that fades and turns by itself, the same at every token",
    model: { name: "s4d", stateSize: 64 },
  },
  "long-convolution": {
    label: "Long convolution",
    summary: "a filter a channel over the last 128 words, learned itself",
    model: { name: "long-convolution", taps: 128 },
  },
  "deltaproduct-n2": {
    label: "DeltaProduct, n = 2",
    summary: "two steps of the delta rule a token, beta to 2",
    model: { name: "deltaproduct", heads, betaMax: 2, householders: 2, convolution: 0 },
  },
  "deltaproduct-n4": {
    label: "DeltaProduct, n = 4",
    summary: "four steps of the delta rule a token, beta to 2",
    model: { name: "deltaproduct", heads, betaMax: 2, householders: 4, convolution: 0 },
  },
  "pd-ssm": {
    label: "PD-SSM",
    summary: "each token sends every place to one place, times a complex number; a dictionary of 128",
    model: { name: "pd-ssm", stateSize: 16, dictionary: 128 },
  },
  "sd-ssm": {
    label: "SD-SSM",
    summary: "a dense matrix for each token, mixed out of a dictionary of 128",
    model: { name: "sd-ssm", stateSize: 16, dictionary: 128 },
  },
  rnn: {
    label: "RNN",
    summary: "Elman's network: a dense recurrence and a tanh",
    model: { name: "rnn", heads: 1, start: "orthogonal" },
  },
  gru: { label: "GRU", summary: "gated cell", model: { name: "gru" } },
  "sr-gru": {
    label: "SR-GRU",
    summary: "gated cell, drawn to a mixture of 32 learned vectors after each step",
    model: { name: "sr-gru", centroids: 32, temperature: 1 },
  },
  lstm: {
    label: "LSTM",
    summary: "gated cell with a memory",
    model: { name: "lstm", forgetBias: 1, convolution: 0 },
  },
  slstm: {
    label: "sLSTM",
    summary: "exponential gates, in heads",
    model: { name: "slstm", heads },
  },
  "slstm-block": {
    label: "xLSTM, sLSTM block",
    summary: "exponential gates, in heads throughout, with a feed-forward layer of 4/3 of the width",
    model: { name: "slstm-block", heads, convolution: 0 },
  },
  transformer: {
    label: "Transformer",
    summary: "causal softmax attention, rotary positions",
    model: { name: "transformer", heads, convolution: 0 },
  },
  path: {
    label: "PaTH",
    summary: "softmax attention behind products of reflections, eight heads",
    model: { name: "path", heads: 8, convolution: 0 },
  },
  fox: {
    label: "FoX",
    summary: "causal softmax attention with forget gates, without positions",
    model: { name: "fox", heads },
  },
  seqboat: {
    label: "SeqBoat",
    summary: "softmax attention to the last 16 of the tokens that fading means choose",
    model: { name: "seqboat", window: 16, stateSize: 16 },
  },
};

/**
 * @file The Llama of 13,641,216 parameters: 6 layers of width 512, SwiGLU 768, no biases; with a vocabulary of 259 (bytes
 * and three marks), embedding and head untied. Source: Grounding Code Understanding in Step-by-Step Execution (2024); the
 * width of the feed-forward layer and the vocabulary are ours, found from the published count.
 */

export const LLAMA_13M = { name: "transformer", layers: 6, width: 512, heads: 8, feedForward: 768 };

/** As published; the loss is on every next token. */
export const LLAMA_TRAIN = {
  loss: "next-token",
  learningRate: 3e-4,
  schedule: "cosine",
  warmupSteps: 100,
  weightDecay: 0.01,
} as const;

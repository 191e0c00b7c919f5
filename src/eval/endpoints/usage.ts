/**
 * @file Cost and speed of replies, from the token counts of the server and the times of a stream.
 *
 *     {"input": 0.15, "output": 0.6}      price of a million tokens of prompts and of replies, in any currency
 *     question ---- first token ------------------- last byte       tokens per second = (tokens - 1) / (last - first)
 *
 * The speed is that of the endpoint under the concurrency of the run, not that of a model alone.
 */

import { z } from "zod";
import { quantile } from "../../core/statistics.ts";
import type { AskResults } from "../../schemas/eval.ts";
import { Price } from "../../schemas/eval-config.ts";
import type { Kept } from "../ask.ts";

/** By model name. */
export const PriceTable = z.record(z.string(), Price);

export interface Tokens {
  readonly promptTokens: number | null;
  readonly replyTokens: number | null;
}

/** null if the server did not count tokens. */
export function tokenCost({ promptTokens, replyTokens }: Tokens, { input, output }: Price): number | null {
  if (promptTokens === null || replyTokens === null) return null;
  return (promptTokens * input + replyTokens * output) / 1e6;
}

export interface Speeds {
  add(answer: Pick<Kept, "timing" | "replyTokens">): void;
  result(): AskResults["speed"];
}

export function collectSpeeds(): Speeds {
  const first: number[] = [];
  const rates: number[] = [];
  return {
    add({ timing, replyTokens }) {
      if (timing?.firstTokenSeconds === undefined) return;
      first.push(timing.firstTokenSeconds);
      const behind = timing.seconds - timing.firstTokenSeconds;
      if (replyTokens !== null && replyTokens > 1 && behind > 0) rates.push((replyTokens - 1) / behind);
    },
    result: () =>
      first.length === 0
        ? null
        : {
            replies: first.length,
            firstToken: { median: quantile(first, 0.5), p95: quantile(first, 0.95) },
            tokensPerSecond:
              rates.length === 0 ? null : { median: quantile(rates, 0.5), p5: quantile(rates, 0.05) },
          },
  };
}

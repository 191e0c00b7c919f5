/**
 * @file How fast streamed replies came: the time to the first token, and tokens a second behind it.
 *
 *     question ---- first token ------------------- last byte       tokens a second = (tokens - 1) / (last - first)
 *
 * It is the endpoint's speed with as many requests at a time as were under way, not that of a model alone.
 */

import { quantile } from "../../core/statistics.ts";
import type { AskResults } from "../../schemas/eval.ts";
import type { Kept } from "../ask.ts";

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

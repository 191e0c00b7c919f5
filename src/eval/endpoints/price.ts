/**
 * @file What an asking costs, by the tokens that the server counts.
 *
 *     {"input": 0.15, "output": 0.6}      per million tokens of prompts and of replies, in any currency
 */

import { z } from "zod";

const Amount = z.number().min(0);
export const Price = z.strictObject({ input: Amount, output: Amount });
export type Price = z.infer<typeof Price>;

/** By the model's name. */
export const PriceTable = z.record(z.string(), Price);

export interface Tokens {
  readonly promptTokens: number | null;
  readonly replyTokens: number | null;
}

/** null where the server counted nothing. */
export function costOf({ promptTokens, replyTokens }: Tokens, { input, output }: Price): number | null {
  if (promptTokens === null || replyTokens === null) return null;
  return (promptTokens * input + replyTokens * output) / 1e6;
}

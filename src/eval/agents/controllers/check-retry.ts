/**
 * @file Check and retry: a checker looks at each reply and may request another, at most R times; the last one is
 * used.
 *
 *     e the policy's error, f false alarms of the checker, d what it detects
 *     q = 1 - (1-e)(1-f) - e(1-d)                                      a reply is sent back
 *     right = (1-e)(1-f)(1 - q^R)/(1 - q) + q^R (1-e)                  a step is right
 *     calls = (1 - q^(R+1))/(1 - q)                                    replies a step
 *
 * A checker without information, d = f, changes nothing; with d < f it does harm. So the checker helps, not the
 * machine around it. Assumes errors that are independent of the prompt, which an endpoint's need not be.
 *
 * Source: the formulas of Aggregate-Intellect/sherpa.
 */

import { z } from "zod";
import type { Control } from "./controller.ts";

const Share = z.number().min(0).max(1);
const Params = z.strictObject({
  /** Right replies that are sent back, wrong ones that are. */
  falseAlarm: Share.default(0),
  detection: Share.default(0.9),
  retries: z.int().min(0).max(100).default(1),
});
type Params = z.infer<typeof Params>;

export const checkRetry: Control<Params> = {
  name: "check-retry",
  summary: "a checker with errors of its own sends replies back",
  params: Params,
  checks: () => true,
  async choose({ ask, isRight, rng }, { falseAlarm, detection, retries }) {
    const replies = [await ask()];
    const isSentBack = (reply: string) => rng.next() < (isRight!(reply) ? falseAlarm : detection); // the episode saw to it
    while (replies.length <= retries && isSentBack(replies[replies.length - 1])) replies.push(await ask());
    return replies;
  },
};

/** The probability that a step is right, and its expected number of replies, for policy error `error`. */
export function checkedStep(
  error: number,
  { falseAlarm, detection, retries }: Params,
): { readonly right: number; readonly replies: number } {
  const accepted = (1 - error) * (1 - falseAlarm);
  const back = 1 - accepted - error * (1 - detection);
  const sum = (terms: number) => (back === 1 ? terms : (1 - back ** terms) / (1 - back));
  return { right: accepted * sum(retries) + back ** retries * (1 - error), replies: sum(retries + 1) };
}

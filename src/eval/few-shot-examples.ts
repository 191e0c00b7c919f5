/**
 * @file The worked examples of prompts about functions and about traces: two for output, two for input prediction. Names of
 * functions are `f`, or tell what the function does.
 *
 * Sources: of functions the examples of Gu et al. 2024, arXiv:2401.03065; of traces those of "Grounding Code Understanding in
 * Step-by-Step Execution" (2024), appendix B.3. The thoughts are our own.
 */

import type { Shot } from "./prompt.ts";
import type { Predict } from "./question.ts";

const countBody = `    count = 0
    for i in my_list:
        if len(i) % 2 == 0:
            count += 1
    return count`;

/** `telling`: identity, append_a, count_even, concat; else all are called f. */
export function functionShots(predict: Predict, telling: boolean): Shot[] {
  const named = (name: string) => (telling ? name : "f");
  const [identity, append, count, concat] = ["identity", "append_a", "count_even", "concat"].map(named);
  if (predict === "output")
    return [
      {
        program: `def ${identity}(n):\n    return n\nassert ${identity}(17) == ??`,
        thought: `${identity} gives back its argument n as it is, and n is 17.`,
        answer: `assert ${identity}(17) == 17`,
      },
      {
        program: `def ${append}(s):\n    return s + "a"\nassert ${append}("x9j") == ??`,
        thought: `s is "x9j". With "a" behind it, it is "x9ja", which is returned.`,
        answer: `assert ${append}("x9j") == "x9ja"`,
      },
    ];
  return [
    {
      program: `def ${count}(my_list):\n${countBody}\nassert ${count}(??) == 3`,
      thought: `count goes up by one for each item of even length. Three items of length two make it 3.`,
      answer: `assert ${count}(["mq", "px", "zy"]) == 3`,
    },
    {
      program: `def ${concat}(s1, s2):\n    return s1 + s2\nassert ${concat}(??) == "banana"`,
      thought: `The two arguments, one behind the other, must spell "banana": "ba" and "nana" do.`,
      answer: `assert ${concat}("ba", "nana") == "banana"`,
    },
  ];
}

/** Examples for benchmarks of straight-line programs; the answer is the value alone. */
export function tracedShots(predict: Predict): Shot[] {
  if (predict === "output")
    return [
      {
        program: "n = 17\nassert n == ??",
        thought: "n is 17, and nothing changes it.",
        answer: "17",
      },
      {
        program: `s = "x9j"\ns += "b"\nassert s + "a" == ??`,
        thought: `s is "x9j", and then "x9jb". With "a" behind it, it is "x9jba".`,
        answer: `"x9jba"`,
      },
    ];
  return [
    {
      program: "n = ??\nassert n == 17",
      thought: "n is not changed before it is compared with 17, so it is 17.",
      answer: "17",
    },
    {
      program: `s1, s2 = ??\ns2 += "a"\nassert s1 + s2 == "banana"`,
      thought: `s2 gets an "a" at its end, so s1 and s2 must spell "banan" before: "ban" and "an" do.`,
      answer: `"ban", "an"`,
    },
  ];
}

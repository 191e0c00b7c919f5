import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { type Behaviour, chatReply, json } from "../../eval/endpoints/server.test-helper.ts";
import { askedOf } from "./asked.test-helper.ts";
import { rightAnswer } from "./misbehaviours.test-helper.ts";

const root = tmpFolder("stops");
let folders = 0;

/** Ends its reply where a stop text begins that the request has, as servers do. */
const ending =
  (says: (right: string, wrong: string) => string): Behaviour =>
  (asked, ...rest) => {
    const right = rightAnswer(asked);
    const text = says(
      right,
      right.replace(/\d$/, (bit) => String(1 - Number(bit))),
    );
    const { stop, options } = asked.body as { stop?: string[]; options?: { stop?: string[] } };
    const ends = (stop ?? options?.stop ?? []).map((mark) => text.indexOf(mark)).filter((at) => at >= 0);
    const cut = text.slice(0, Math.min(text.length, ...ends));
    const reply =
      options === undefined
        ? { ...chatReply(cut), choices: [{ ...chatReply(cut).choices[0], text: cut }] }
        : { model: "m", message: { role: "assistant", content: cut }, done: true, done_reason: "stop" };
    json(reply)(asked, ...rest);
  };

const thinking: readonly ((right: string, wrong: string) => string)[] = [
  (right) =>
    `We have to put the complete assertion between [ANSWER] and [/ANSWER].\n\n[ANSWER]\n${right}\n[/ANSWER]`,
  (right) => `I will write [ANSWER][/ANSWER] around it. [ANSWER]${right}[/ANSWER]`,
  (right) => `The reply has to end with [/ANSWER].\n[ANSWER]\n${right}\n[/ANSWER]`,
  (right) => `I close it by \`[/ANSWER]\`.\n[ANSWER]\n${right}\n[/ANSWER]`,
  (right, wrong) => `Is it [ANSWER]${wrong}[/ANSWER]? Wait, that is wrong. [ANSWER]${right}[/ANSWER]`,
  (right, wrong) => `<think>Is it [ANSWER]${wrong}[/ANSWER]? No.</think>\n[ANSWER]${right}[/ANSWER]`,
  (right, wrong) => `<mm:think>[ANSWER]${wrong}[/ANSWER]</mm:think>[ANSWER]${right}[/ANSWER]`,
  (right, wrong) => `Is it [ANSWER]${wrong}[/ANSWER]? No.</think>\n[ANSWER]${right}[/ANSWER]`,
  (right, wrong) =>
    `<|channel|>analysis<|message|>[ANSWER]${wrong}[/ANSWER]?<|end|><|start|>assistant<|channel|>final<|message|>[ANSWER]${right}[/ANSWER]`,
  (right) => `[/ANSWER] comes last.\n[ANSWER]${right}[/ANSWER]`,
];

test.each(thinking.map((says) => [says("RIGHT", "WRONG"), says] as const))(
  "%j: the thought costs no answer",
  async (_, says) => {
    for (const protocol of ["chat", "ollama"] as const) {
      const { results, server } = await askedOf(ending(says), 4, join(root, String(folders++)), {
        maximumRetries: 0,
        protocol,
      });
      expect(results?.arms[0]).toMatchObject({ correct: 4, wrong: 0, unreadable: 0, outOfTokens: 0 });
      expect(results?.adapted).toEqual(["no stop"]);
      expect(server.asked).toHaveLength(5); // the first again without stop, the others so at once
    }
  },
);

test("a reply that is the answer alone is asked for once, its stop text sent, and so is one that a text goes on with", async () => {
  for (const [protocol, says] of [
    ["chat", (right: string) => `[ANSWER]\n${right}\n[/ANSWER]`],
    ["chat", (right: string) => `${right}\n[/ANSWER]`],
    ["chat", (right: string) => `<think>It is so.</think>\n${right}\n[/ANSWER]`],
    [
      "completion",
      (right: string) =>
        `${right}\n[/ANSWER]\n\n[PYTHON]\np = 1\nassert p == ??\n[/PYTHON]\n[ANSWER]\n7\n[/ANSWER]`,
    ],
  ] as const) {
    const { results, server } = await askedOf(ending(says), 4, join(root, String(folders++)), {
      maximumRetries: 0,
      protocol,
    });
    expect(results?.arms[0]).toMatchObject({ correct: 4 });
    expect([results?.adapted, server.asked.length]).toEqual([[], 4]);
  }
});

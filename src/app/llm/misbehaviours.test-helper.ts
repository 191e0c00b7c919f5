/** @file A server that answers right, or misbehaves in one of the ways of the table, as a hash of the prompt and a count say. */

import { expect } from "vitest";
import type { Tally } from "../../eval/ask.ts";
import { troubles } from "../../eval/endpoints/endpoint.ts";
import { misbehaviours } from "../../eval/endpoints/misbehaviors.test-helper.ts";
import {
  type Asked,
  type Behaviour,
  chatReply,
  json,
  promptOf,
} from "../../eval/endpoints/server.test-helper.ts";

/** The parity that the last program of a prompt comes to, computed from its text alone. */
export function rightAnswer(asked: Asked): string {
  const program = promptOf(asked).split("[PYTHON]").at(-1)!; // there is always one part
  const bits = [...program.matchAll(/\bp \^?= (\d)/g)].map(([, bit]) => Number(bit));
  return `assert p == ${bits.reduce((sum, bit) => sum ^ bit, 0)}`;
}

/** 32 bits of a text (FNV-1a, with a last mix). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** Half of the requests meet a misbehaviour; what is not retried, or is out of tokens, ends its question there. */
export function mixedServer(seed: number, { timeouts }: { readonly timeouts: boolean }) {
  const table = misbehaviours.filter(
    ({ fatal, ends }) => !fatal && ends !== "not-found" && (timeouts || !/timeout/.test(ends)),
  );
  /** Of each prompt: how often it came, and how its question must end. */
  const prompts = new Map<string, { times: number; ends: string | undefined }>();
  const met = new Map<string, number>();
  const behaves: Behaviour = (asked, response, count, request) => {
    const prompt = promptOf(asked);
    const known = prompts.get(prompt) ?? { times: 0, ends: undefined };
    prompts.set(prompt, known);
    const draw = hashOf(`${seed} ${known.times} ${prompt}`);
    // Asking again without `stop` meets the same as before.
    const again = asked.body.stop === undefined && known.ends === "reasoning-only";
    const which = again
      ? table.find(({ ends }) => ends === "reasoning-only")
      : draw % 2 === 0
        ? table[(draw >>> 1) % table.length]
        : undefined;
    if (!again) known.times++;
    if (known.ends !== undefined && !again) known.ends = `asked again after ${known.ends}`;
    else if (which === undefined) known.ends = "answered";
    else if (!which.retried) known.ends = which.ends;
    if (which !== undefined) met.set(which.name, (met.get(which.name) ?? 0) + 1);
    const right = rightAnswer(asked);
    (which?.behaves(right) ?? json(chatReply(right)))(asked, response, count, request);
  };
  const ended = (kind: (ends: string) => boolean) =>
    [...prompts.values()].filter(({ ends }) => ends !== undefined && kind(ends)).length;
  const isLost = (ends: string) => Object.hasOwn(troubles, ends);
  return {
    ...{ behaves, met, all: table.length },
    outOfTokens: () => ended((ends) => ends === "out-of-tokens"),
    lost: () => ended(isLost),
    /** What the server knows, held against what the asking says. */
    check(tally: Tally, questions: number) {
      const ends = [...prompts.values()].map(({ ends }) => ends ?? "never ended");
      expect(ends.filter((each) => each !== "answered" && each !== "out-of-tokens" && !isLost(each))).toEqual(
        [],
      );
      expect(prompts.size).toBe(questions);
      const left: Record<string, number> = {};
      for (const each of ends) if (isLost(each)) left[each] = (left[each] ?? 0) + 1;
      expect([tally.answered, tally.left, tally.ended]).toEqual([questions - ended(isLost), left, undefined]);
    },
  };
}

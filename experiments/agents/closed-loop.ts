/**
 * @file A trained model that chooses which variable is printed: it reads the program so far, and of the names that may stand in the next
 * print the likeliest is taken. The world answers, the program goes on.
 *
 *     if random.random() < 0.5: a, b = b, a
 *     print('        -> model: b        ', b)\nb 1\n        and so on, several programs side by side
 *
 * Commands and outcomes are those that `followed` (src/analysis/belief/active.ts) draws from the same streams.
 */

import { afterAction, afterAnswer, drawMove, drawState } from "../../src/math/hidden-markov.ts";
import { machineOf, pairsOf } from "../../src/math/permutation-walk.ts";
import { entropyOf } from "../../src/math/reveal-choice.ts";
import type { Rng } from "../../src/math/rng.ts";
import type { PartsDone } from "../../src/records/progress.ts";
import { type ActiveRevealsParams, maybeWalk } from "../../src/tasks/active-reveals.ts";
import { maybeParts, printParts, swapParts } from "../../src/tasks/pfsa/words.ts";
import { openDecoder } from "../../src/train/decoder.ts";
import type { TrainedRun } from "../../src/work/run/trained.ts";

/** What remains in nats after each print of each episode. */
export async function* chosenByModel(
  run: TrainedRun,
  { variables: n, probability, spacing, prints }: ActiveRevealsParams,
  streams: readonly Rng[],
): AsyncGenerator<PartsDone, number[][]> {
  const { tokenizer, variant } = run.data;
  const { maximumWords } = variant({ prints }, "test");
  const decoder = await openDecoder(run.model, { tree: run.tree, data: run.weights }, run.runtime, {
    slots: streams.length,
    context: maximumWords,
  });
  const machine = machineOf(maybeWalk(n, probability));
  const names = run.data.variant({}, "test").variables.slice(0, n);
  const nameTokens = names.map((name) => tokenizer.encode(name)[0]);
  const pairs = pairsOf(n);
  const episodes = streams.map((stream) => {
    const moves = stream.fork("moves");
    return { moves, state: drawState(machine.start, moves), belief: machine.start, left: [] as number[] };
  });
  let position = 0;
  const feed = async (texts: readonly string[]) => {
    const tokens = texts.map((text) => tokenizer.encode(text));
    let logits = new Float32Array();
    for (let at = 0; at < tokens[0].length; at++) {
      for (const [slot, each] of tokens.entries()) {
        decoder.tokens[slot] = each[at];
        decoder.positions[slot] = position;
      }
      position++;
      logits = (await decoder.step()) as Float32Array<ArrayBuffer>;
    }
    return logits;
  };
  try {
    for (const slot of streams.keys()) decoder.clear(slot);
    const start = `import random\n${names.map((name, i) => `${name} = ${i + 1}\n`).join("")}`;
    let before = streams.map(() => start);
    for (let asked = 0; asked < prints; asked++) {
      yield { done: asked, of: prints };
      const texts = episodes.map((episode, slot) => {
        let text = before[slot];
        for (let step = 0; step < spacing; step++) {
          const at = episode.moves.below(pairs.length);
          episode.state = drawMove(machine.actions[at], episode.state, episode.moves);
          episode.belief = afterAction(episode.belief, machine.actions[at]);
          const [i, j] = pairs[at];
          text += `${[...maybeParts(probability), ...swapParts(names[i], names[j])].join("")}\n`;
        }
        return text + printParts(names[0])[0];
      });
      const logits = await feed(texts);
      before = episodes.map((episode, slot) => {
        const scores = nameTokens.map((token) => logits[slot * decoder.vocabulary + token]);
        const chosen = scores.indexOf(Math.max(...scores));
        const question = machine.questions[chosen];
        const answer = question.answer[episode.state];
        episode.belief = afterAnswer(episode.belief, question, answer);
        episode.left.push(entropyOf(episode.belief));
        return `${printParts(names[chosen]).slice(1).join("")}${answer + 1}\n`;
      });
    }
  } finally {
    await decoder.release();
  }
  return episodes.map(({ left }) => left);
}

/**
 * @file The answers of a model, found again for every reply of a ledger: what was asked follows from the turns before, and the key of
 * the answer from what was asked. A reply that is not what the answer says was changed, here or there.
 *
 *     prompt = policy.prompt(view(turns before))      reply = policy.read(answers[key(prompt)])
 */

import { fail } from "../../core/error.ts";
import type { AgentPlan } from "../../eval/agents/plan.ts";
import { renderPrompt, rngStreams } from "../../eval/agents/plan.ts";
import type { AskedPolicy } from "../../eval/agents/policies/policy.ts";
import { type Answers, answerKey, type Kept, sampleName } from "../../eval/ask.ts";
import { ranOut } from "../../eval/endpoints/api-errors.ts";
import type { Parameters } from "../../eval/endpoints/endpoint.ts";
import { replyWords } from "../../eval/question.ts";
import type { AgentConfig, AskedModel, AskedTotals, EpisodeTurn } from "../../schemas/agents.ts";
import { readAnswerLog } from "../llm/log.ts";
import { sorted, tallied } from "../llm/run.ts";
import { orders } from "./plan-episodes.ts";
import { agentFiles, type ReadEpisode } from "./read.ts";

/** An episode as the log of answers calls it. */
export const namedAs = ({ begin }: AgentPlan) => ({
  arm: [begin.world, begin.runtime, begin.view, begin.control, begin.policy].join("/"),
  id: String(begin.index),
});

export const modelIdentity = ({ protocol, endpoint, model }: AskedModel) => [protocol, endpoint, model];

export const recordedParameters = ({ parameters }: AskedModel) => parameters as unknown as Parameters; // written from them, as JSON

/** Each reply of an episode, with its answer. */
async function* repliesOf(
  plan: AgentPlan,
  asked: AskedModel,
  turns: readonly EpisodeTurn[],
  answers: Pick<Answers, "get">,
): AsyncGenerator<{
  readonly turn: number;
  readonly reply: string;
  readonly answer: Kept | undefined;
  readonly said: string | undefined;
}> {
  const { world, begin } = plan;
  const { entry, params } = plan.policy as { entry: AskedPolicy; params: unknown }; // the caller looked
  const task = world.entry.task(world.entry.draw(world.params, rngStreams(begin).world));
  const name = sampleName(namedAs(plan), 0);
  let number = 0;
  for (const [turn, { replies }] of turns.entries()) {
    const { shown, forced } = renderPrompt(plan, task, turns.slice(0, turn));
    if (forced !== undefined) continue; // a script made the decision
    const request = {
      ...{
        prompt: entry.prompt(shown, params, begin.runtime),
        sample: 0,
        parameters: recordedParameters(asked),
      },
    };
    for (const reply of replies) {
      const answer = answers.get(await answerKey(modelIdentity(asked), name, number++, request));
      const said =
        answer && entry.read(replyWords([answer.text], recordedParameters(asked).think)[0], shown, params);
      yield { turn, reply, answer, said };
    }
  }
}

/** @throws LabError (corrupt) naming the line of the ledger whose reply is not what was answered. */
export async function askedTotals(
  folder: string,
  config: AgentConfig,
  asked: AskedModel,
  episodes: readonly ReadEpisode[],
): Promise<AskedTotals> {
  const files = agentFiles(folder);
  const answers = await readAnswerLog(files.answers);
  const { endpoint, protocol, model } = asked;
  const totals = {
    ...{ endpoint, protocol, model, replies: 0, tokens: { prompt: 0, reply: 0, counted: 0 }, outOfTokens: 0 },
    ...{ finishes: {} as Record<string, number>, servedModels: {} as Record<string, number> },
    unanswered: {} as Record<string, number>,
  };
  const parameters = recordedParameters(asked);
  const there = new Map(episodes.map((each) => [each.begin.episode, each]));
  try {
    for (const plan of orders(config)) {
      const found = there.get(plan.begin.episode);
      if (found === undefined) {
        tallied(
          totals.unanswered,
          [plan.begin.runtime, plan.begin.view, plan.begin.control, plan.begin.policy].join("/"),
        );
        continue;
      }
      for await (const { turn, reply, answer, said } of repliesOf(plan, asked, found.turns, answers)) {
        if (answer === undefined || said !== reply)
          fail(
            `${files.ledger}, line ${found.line + turn + 1}`,
            answer === undefined ? `an answer to its prompt in ${files.answers}` : "the recorded reply",
            answer === undefined ? "none" : reply,
            "The file was changed",
            "corrupt",
          );
        totals.replies++;
        totals.tokens.prompt += answer.promptTokens ?? 0;
        totals.tokens.reply += answer.replyTokens ?? 0;
        if (answer.promptTokens !== null && answer.replyTokens !== null) totals.tokens.counted++;
        if (ranOut(answer, replyWords([answer.text], parameters.think)[0], parameters)) totals.outOfTokens++;
        tallied(totals.finishes, answer.finish ?? "none");
        if (answer.model !== undefined) tallied(totals.servedModels, answer.model);
      }
    }
  } finally {
    answers.close();
  }
  return { ...totals, finishes: sorted(totals.finishes), servedModels: sorted(totals.servedModels) };
}

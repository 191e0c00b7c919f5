/**
 * @file Episodes of a language model: each is a conversation of `llm eval` whose next prompt depends on the replies.
 *
 * Answers are logged on arrival, so the same command asks for none twice; it runs the cells of the episode again. If the endpoint fails,
 * the episode ends without a line in the ledger, and the next call asks again: such episodes come last in the ledger. Without
 * failures the ledger is the same to the byte, however often the process was killed.
 */

import { availableParallelism } from "node:os";
import { fail } from "../../core/error.ts";
import { rngFrom } from "../../core/rng.ts";
import { startConversation } from "../../eval/agents/conversation.ts";
import { policies } from "../../eval/agents/registries.ts";
import { type AskOptions, ask, type Tally } from "../../eval/ask.ts";
import type { ApiErrorKind } from "../../eval/endpoints/endpoint.ts";
import { pacer, sleep } from "../../eval/endpoints/rate-limit.ts";
import type { Conversation } from "../../eval/question.ts";
import type { AgentResults, AskedModel, EpisodeRecord } from "../../schemas/agents.ts";
import type { EndpointConfig, Price } from "../../schemas/eval-config.ts";
import {
  type Asking,
  checkEndpoint,
  openEndpoint,
  priceOf,
  type Sampling,
  samplingOf,
} from "../llm/endpoint.ts";
import { openAnswerLog } from "../llm/log.ts";
import { evalBudget, formatProgress, formatSummary, reportWaits } from "../llm/run.ts";
import { modelIdentity, namedAs, recordedParameters } from "./answers.ts";
import { agentFiles } from "./read.ts";
import { isAsked, openSessions } from "./run.ts";
import { type AgentOrder, agentConfig, type HeldFolder, inFolder, missing } from "./run-folder.ts";

interface AskedAgents {
  /** Of all episodes in the ledger; undefined where there are none. */
  readonly results: AgentResults | undefined;
  readonly tally: Tally;
  /** The first words of each kind of trouble. */
  readonly words: Partial<Record<ApiErrorKind, string>>;
}

/** Upper bound of open interpreters, most of which wait for replies. */
const mostSessions = 32;

/** @throws LabError as `runAgents` does; trouble with the endpoint is in the tally. */
export async function runLlmAgents(order: AgentOrder, asking: EndpointConfig): Promise<AskedAgents> {
  if (!isAsked(order.policy))
    fail("askAgents", "a policy that is a model", order.policy, "Run it by runAgents");
  checkEndpoint(asking);
  const sampling = samplingOf(asking);
  const price = await priceOf(asking);
  const opened = await openEndpoint(asking, (words) =>
    order.progress.say(`statelab: changed later requests: ${words}`),
  );
  try {
    const config = agentConfig(order, askedModel(order, sampling, opened));
    const { added, results } = await inFolder(order, config, (held) =>
      addEpisodes(order, asking, price, opened, held),
    );
    return { ...added, results };
  } finally {
    await opened.connection?.close();
  }
}

function askedModel(
  { policy }: AgentOrder,
  sampling: Sampling,
  { endpointName, protocol, model }: Asking,
): AskedModel {
  const entry = policies[policy as keyof typeof policies]; // the caller looked
  const whole = entry.kind === "asked" && {
    ...{ ...sampling, maximumTokens: sampling.maximumTokens ?? entry.replyTokens, stop: entry.stop },
  };
  return { endpoint: endpointName, protocol, model, parameters: JSON.parse(JSON.stringify(whole)) };
}

async function addEpisodes(
  { signal, progress, folder }: AgentOrder,
  asking: EndpointConfig,
  price: Price | undefined,
  { endpoint }: Asking,
  { config, lock, done, append }: HeldFolder,
): Promise<Omit<AskedAgents, "results">> {
  const { atMost, maximumRetries, backOffUnit, perMinute = Number.POSITIVE_INFINITY, budget } = asking;
  const asked = config.endpoint!; // it was put there
  const plans = [...missing(config, done)];
  const answers = await openAnswerLog(agentFiles(folder).answers, lock);
  const sessions = openSessions(
    config,
    Math.max(availableParallelism(), Math.min(atMost, mostSessions)),
    signal,
  );
  const inOrder = inTheirOrder(plans.length, append);
  const question = (index: number): Conversation => {
    const plan = plans[index];
    const talk = startConversation(plan, sessions.open, signal);
    let whole = false;
    return {
      ...namedAs(plan),
      async next(replies) {
        const prompt = await talk.next(replies);
        whole = prompt === undefined;
        return prompt;
      },
      async close() {
        await talk.close();
        // an aborted episode is run again at its place
        if (!signal.aborted) inOrder(index, whole ? talk.lines : []);
      },
    };
  };
  const words: Partial<Record<ApiErrorKind, string>> = {};
  const now = () => performance.now();
  const began = now();
  try {
    const tally = await ask({
      ...{ questions: { count: plans.length, question }, samples: 1, answers, endpoint, signal },
      ...{
        parameters: recordedParameters(asked),
        identity: modelIdentity(asked),
        atMost,
        maximumRetries,
        backOffUnit,
      },
      rng: rngFrom(config.seed).fork("back-off"),
      pace: pacer(perMinute, now, sleep),
      onProgress: (tally) => progress.update(config.world, formatProgress(tally, (now() - began) / 1000)),
      onTrouble: (_, kind, text) => {
        words[kind] ??= text;
      },
      ...evalBudget(budget, price),
      onWait: reportWaits(progress, now),
    } satisfies AskOptions);
    progress.end(config.world, formatSummary(tally));
    return { tally, words };
  } finally {
    await sessions.close();
    await answers.close();
    progress.close();
  }
}

/** Appends the lines of episode i once all episodes before it have ended; a failed one has no lines. */
function inTheirOrder(count: number, append: (lines: readonly EpisodeRecord[]) => void) {
  const ended: (readonly EpisodeRecord[] | undefined)[] = [];
  let next = 0;
  return (index: number, lines: readonly EpisodeRecord[]) => {
    ended[index] = lines;
    for (; next < count; next++) {
      const ready = ended[next];
      if (ready === undefined) return;
      append(ready);
      ended[next] = [];
    }
  };
}

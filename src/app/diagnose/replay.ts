/**
 * @file Replay from the onset: the messages before it, then the true state, for any chat endpoint.
 *
 *     user: ...      assistant: After line 3: total = 1      assistant: After line 5 (time 2): total = 3, i = 1       <- right, put there
 *                                                            user: Go on from this state, which is right.
 *
 * Tool calls and results become text: the next model may have other tools, or none.
 */

import type { Diagnosis, TranscriptStep } from "../../schemas/transcript.ts";

interface ReplayMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

const GO_ON = "The state that is given last is right. Go on from there.";

/** Null where there is no onset. */
export function replayMessages({ transcript, onset }: Diagnosis): ReplayMessage[] | null {
  if (onset === null) return null;
  const before = transcript.steps.slice(0, onset.step);
  const pairs = Object.entries(onset.state).map(([name, value]) => `${name} = ${value}`);
  const state = `${placeWords(transcript.steps[onset.step])}${pairs.join(", ")}`;
  const messages: { role: ReplayMessage["role"]; content: string }[] = [];
  for (const step of before) {
    const role = step.role === "said" || step.role === "called" ? "assistant" : "user";
    const last = messages.at(-1);
    const content = wordsOf(step);
    if (last?.role === role) last.content += content.startsWith("\n") ? content : `\n${content}`;
    else messages.push({ role, content });
  }
  const last = messages.at(-1);
  if (last?.role === "assistant") last.content = `${last.content.trimEnd()}\n${state}`;
  else messages.push({ role: "assistant", content: state });
  return [...messages, { role: "user", content: GO_ON }];
}

const wordsOf = ({ role, tool, text }: TranscriptStep) =>
  role === "called"
    ? `${tool}(${text})`
    : role === "answered" && tool !== undefined
      ? `${tool}: ${text}`
      : text;

function placeWords({ claims }: TranscriptStep): string {
  const { line, time, step, moment } = claims[0]?.place ?? {};
  if (step !== undefined) return `After step ${step}: `;
  if (line !== undefined) return `After line ${line}${time === undefined ? "" : ` (time ${time})`}: `;
  return moment === undefined ? "" : `At moment ${moment}: `;
}

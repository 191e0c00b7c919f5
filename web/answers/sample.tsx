/** @file One sample of an asking whole: prompt, reply, what was extracted, and the first line that departs from the truth. */

import { visibleLines } from "../../src/python/trace/escape-control.ts";
import type { SampleRecord } from "../../src/schemas/eval.ts";
import { writeAddress } from "../address.ts";
import { Wide } from "../parts/scroll-area.tsx";
import { useAsked } from "../parts/use-api.ts";
import { asked } from "../server.ts";
import { firstDeparture, tracedProgram } from "./first-error.ts";

export const words: Readonly<Record<SampleRecord["verdict"], string>> = {
  correct: "correct",
  wrong: "wrong",
  unreadable: "unreadable",
  "out-of-tokens": "out of tokens",
};

export function Sample({ asking, name }: { readonly asking: string; readonly name: string }) {
  const { said, problem } = useAsked(
    () => asked<SampleRecord>("sample", { name: asking, sample: name }),
    name,
  );
  if (problem !== undefined) return <p role="alert">{problem}</p>;
  if (said === undefined) return <p class="muted">Reading {name} …</p>;
  const {
    prompt,
    replies,
    reasoning = [],
    extracted,
    expected,
    verdict,
    words: why,
    finish,
    replyTokens,
  } = said;
  const program = tracedProgram(prompt);
  const followed = firstDeparture(prompt, replies);
  const at = followed.kind === "departs" ? followed.departure.line : undefined;
  return (
    <section class="card" aria-label={`Sample ${name}`}>
      <h2>{name}</h2>
      <dl class="facts">
        <dt>Verdict</dt>
        <dd class={verdict === "correct" ? "good" : "bad"}>
          {words[verdict]}
          {why !== "" && `: ${visibleLines(why)}`}
        </dd>
        <dt>Extracted</dt>
        <dd>{extracted === null ? "nothing" : <code>{visibleLines(extracted)}</code>}</dd>
        <dt>Expected</dt>
        <dd>
          <code>{visibleLines(expected)}</code>
        </dd>
        <dt>It ended</dt>
        <dd>
          {finish ?? "the server said nothing"}
          {replyTokens !== null && `, ${replyTokens.toLocaleString("en")} tokens`}
        </dd>
      </dl>
      <Departs followed={followed} turns={replies.length} />
      {program !== undefined && (
        <p>
          <a href={writeAddress({ view: "trace", settings: { program } })}>Walk through what really runs</a>
        </p>
      )}
      <Text
        title={replies.length === 1 ? "Reply" : `${replies.length} replies, one a line of the program`}
        lines={replies.length === 1 ? replies[0].split("\n") : replies}
        at={at}
      />
      {reasoning.some((each) => each !== "") && (
        <Text title="Handed over apart from it" lines={reasoning.join("\n").split("\n")} />
      )}
      <Text title={replies.length === 1 ? "Prompt" : "The last prompt"} lines={prompt.split("\n")} />
    </section>
  );
}

function Departs({
  followed,
  turns,
}: {
  readonly followed: ReturnType<typeof firstDeparture>;
  readonly turns: number;
}) {
  if (followed.kind === "unknown")
    return (
      <p class="muted">
        Where it departs from the truth is not told: it claims no states, or its program does more than move
        values.
      </p>
    );
  if (followed.kind === "agrees") return <p>Every state that it claims ({followed.claims}) is true.</p>;
  const { line, kind, said, truth } = followed.departure;
  return (
    <p class="stale">
      <strong>{turns === 1 ? `Line ${line} of the reply` : `Reply ${line}`}</strong> is the first to depart
      from the truth:{" "}
      {kind === "state" ? (
        <>
          it says <code>{said}</code>, and it is <code>{truth}</code>.
        </>
      ) : (
        <>
          it writes <code>{visibleLines(said)}</code>, where the program has <code>{truth}</code>.
        </>
      )}
    </p>
  );
}

/** Long texts fold away behind their first lines. */
const MOST_LINES = 400;

function Text({
  title,
  lines,
  at,
}: {
  readonly title: string;
  readonly lines: readonly string[];
  readonly at?: number | undefined;
}) {
  const shown = lines.slice(0, MOST_LINES);
  return (
    <>
      <h3>{title}</h3>
      <Wide label={title}>
        <ol class="listing wraps">
          {shown.map((line, i) => (
            <li key={i} class={i + 1 === at ? "now departs" : undefined}>
              <code>{visibleLines(line) || " "}</code>
            </li>
          ))}
        </ol>
      </Wide>
      {lines.length > shown.length && (
        <p class="muted">{lines.length - shown.length} more lines are in samples.jsonl.</p>
      )}
    </>
  );
}

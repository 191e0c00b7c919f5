/** @file Beliefs about every variable at the current place: readers of all swaps, of the last ones alone, and the models. */

import { useEffect, useState } from "preact/hooks";
import { percentSign } from "../../src/core/format.ts";
import { type Column, SummaryTable } from "../parts/records.tsx";
import { heldExactly, heldWithin, questionsAt, type Shares } from "./bayes-readers.ts";
import type { Exhibit } from "./demo-models.ts";
import type { Played, Session } from "./session.ts";
import { VARIABLES } from "./session.ts";
import { useAnswers } from "./use-answers.ts";

/** The models are asked when the place has not moved for so long. */
const REST_MILLISECONDS = 400;

export function Holding(props: {
  readonly models: readonly Exhibit[];
  readonly session: Session;
  readonly played: Played;
  readonly at: number;
  /** Whether the models have nothing else to read. */
  readonly ready: boolean;
}) {
  const { models, session, played, at, ready } = props;
  const [asked, setAsked] = useState<number>();
  useEffect(() => {
    if (!ready) return;
    const timer = setTimeout(() => setAsked(at), REST_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [at, played, ready]);
  const isAsked = ready && asked === at && at < played.moments.length;
  const answers = useAnswers(isAsked ? questionsAt(played, at) : undefined);
  const truth = played.moments[Math.min(at, played.moments.length - 1)];
  const rows: readonly (readonly [string, Shares | string])[] = [
    ["Exact Bayes filter", heldExactly(played, Math.min(at, played.moments.length - 1))],
    [
      `Windowed Bayes filter, last ${session.spacing}`,
      heldWithin(session, played, Math.min(at, session.swaps.length), session.spacing),
    ],
    ...models.map(({ id, label }) => {
      const answer = answers[id];
      const said =
        answer === undefined ? "reading …" : "error" in answer ? answer.error : answer.probabilities;
      return [label, said] as const;
    }),
  ];
  return (
    <section aria-label="Predictions now">
      <SummaryTable
        label="Predictions"
        first={`after ${at} swaps`}
        name={([label]) => label}
        rows={rows}
        columns={VARIABLES.map(
          (name, i): Column<(typeof rows)[number]> => ({
            title: `${name} = ${truth[i]}`,
            cell: ([, shares]) =>
              typeof shares !== "string" ? (
                <Held shares={shares[i]} truth={truth[i]} />
              ) : (
                i === 0 && <span class="muted">{shares}</span>
              ),
          }),
        )}
      />
      <p class="muted">
        Predictions if the next line printed the variable. Bars: probabilities of 1, 2 and 3; the true value
        is filled.
      </p>
    </section>
  );
}

function Held({ shares, truth }: { readonly shares: readonly number[]; readonly truth: number }) {
  const words = shares.map((share, i) => `${i + 1}: ${percentSign(share)}`).join(", ");
  const most = Math.max(...shares);
  const isRight = shares[truth - 1] === most && shares.filter((share) => share === most).length === 1;
  return (
    <span title={words}>
      <svg class="held-bars" viewBox="0 0 30 20" role="img" aria-label={words}>
        {shares.map((share, i) => (
          <rect
            key={i}
            class={i + 1 === truth ? "true" : undefined}
            x={i * 10 + 1}
            width={8}
            y={19 - 18 * share}
            height={18 * share + 0.5}
          />
        ))}
      </svg>{" "}
      <span class={isRight ? "good" : "bad"}>{percentSign(shares[truth - 1])}</span>
    </span>
  );
}

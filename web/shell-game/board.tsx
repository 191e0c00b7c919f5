/** @file The board of the shell game: three cups, below them the beliefs of each model, and the score of the models and of the visitor. */

import { percentSign } from "../../src/core/format.ts";
import type { Exhibit } from "./demo-models.ts";
import { type Played, type Swap, VARIABLES } from "./session.ts";
import type { Answers } from "./use-answers.ts";

export interface Place {
  readonly played: Played;
  /** Swaps so far. */
  readonly at: number;
  /** Whether a reveal at this place is still to come: the visitor is asked. */
  readonly isAsking: boolean;
  /** A cup by the place of the reveal. */
  readonly guesses: Readonly<Record<number, number>>;
}

/** The first reveal at a place; the visitor is asked where its value is. */
export const revealAt = ({ reveals }: Played, at: number) => reveals.find(({ after }) => after === at);

export function Board(props: {
  readonly place: Place;
  readonly swap: Swap | undefined;
  readonly isOpen: boolean;
  readonly models: readonly Exhibit[];
  readonly answers: Answers;
  readonly guess: (cup: number) => void;
  readonly waits: boolean;
}) {
  const { place, swap, isOpen, models, answers, guess, waits } = props;
  const { played, at, isAsking, guesses } = place;
  const here = isAsking ? [] : played.reveals.filter(({ after }) => after === at);
  const isLifted = (cup: number) => isOpen || at === 0 || here.some(({ variable }) => variable === cup);
  // Before a reveal the models would tell what the visitor is asked.
  const isHidden = waits && !isOpen && here.length === 0 && played.reveals.some(({ after }) => after >= at);
  const questions = played.reveals.filter(({ after }, i) => after !== played.reveals[i - 1]?.after);
  return (
    <table class="board">
      <thead>
        <tr>
          <td class="say" aria-live={isAsking ? "polite" : "off"}>
            <span>{sentence(place, swap)}</span>
          </td>
          <td colSpan={3}>
            <Cups {...{ values: played.moments[at], swap, isAsking, isLifted, guess }} />
          </td>
          <td />
        </tr>
        <tr>
          <td class="muted">{isHidden ? "Hidden until your guess" : "Belief about each cup"}</td>
          {VARIABLES.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
          <td class="muted">Correct so far</td>
        </tr>
      </thead>
      <tbody>
        <tr class="you">
          <th scope="row">You</th>
          {VARIABLES.map((name, cup) => (
            <td key={name}>{guesses[at] === cup && revealAt(played, at)?.value}</td>
          ))}
          <Score
            marks={questions.map(({ after, variable }) => {
              const own = after < at || (after === at && !isAsking) ? guesses[after] : undefined;
              return own === undefined ? undefined : own === variable;
            })}
          />
        </tr>
        {models.map(({ id, label, run }) => (
          <Model key={id} {...{ place, label, run, here, isHidden }} answers={answers[id] ?? {}} />
        ))}
      </tbody>
    </table>
  );
}

function sentence({ played, at, isAsking, guesses }: Place, swap: Swap | undefined): string {
  const reveal = revealAt(played, at);
  if (reveal === undefined) return at === 0 ? "Remember the values." : `${swap?.[0]} ⇄ ${swap?.[1]}`;
  if (isAsking) return `Where is ${reveal.value}? Click its cup.`;
  const verdict = guesses[at] === undefined ? "" : guesses[at] === reveal.variable ? " Correct." : " Wrong.";
  return `${reveal.value} is under ${VARIABLES[reveal.variable]}.${verdict}`;
}

function Cups(props: {
  readonly values: readonly number[];
  readonly swap: Swap | undefined;
  readonly isAsking: boolean;
  readonly isLifted: (cup: number) => boolean;
  readonly guess: (cup: number) => void;
}) {
  const { values, swap, isAsking, isLifted, guess } = props;
  return (
    <div class="shells">
      {VARIABLES.map((name, cup) => (
        <button
          type="button"
          key={name}
          class={`slot${swap?.includes(name) ? " moved" : ""}`}
          aria-label={`Cup ${name}${isLifted(cup) ? `: ${values[cup]}` : ""}`}
          aria-disabled={!isAsking}
          onClick={() => isAsking && guess(cup)}
        />
      ))}
      {[1, 2, 3].map((value) => {
        const cup = values.indexOf(value);
        return (
          <span key={value} class={`shell at${cup}${isLifted(cup) ? " lifted" : ""}`} aria-hidden="true">
            {isLifted(cup) && <b>{value}</b>}
          </span>
        );
      })}
    </div>
  );
}

function Model(props: {
  readonly place: Place;
  readonly label: string;
  readonly run: string;
  readonly here: Played["reveals"];
  readonly isHidden: boolean;
  readonly answers: Answers[string];
}) {
  const { place, label, run, here, isHidden, answers } = props;
  const { played, at, isAsking } = place;
  const whole = answers.reveals;
  const now = answers[at];
  const past = played.reveals.filter(({ after }) => after < at || (after === at && !isAsking)).length;
  const isRight = (i: number, { value }: Played["reveals"][number]) =>
    whole !== undefined && "probabilities" in whole && mostLikely(whole.probabilities[i]) === value;
  const failed = [whole, now].find((answer) => answer !== undefined && "error" in answer);
  return (
    <tr
      class="model"
      aria-label={label}
      data-state={failed !== undefined ? "error" : whole === undefined ? "reading" : "read"}
    >
      <th scope="row">
        {label} <span class="muted">{run}</span>
      </th>
      {failed !== undefined && "error" in failed ? (
        <td colSpan={4} role="alert">
          Prediction failed: {failed.error}.
        </td>
      ) : (
        <>
          {VARIABLES.map((name, cup) => {
            const revealed = here.find(({ variable }) => variable === cup);
            const index = revealed === undefined ? -1 : played.reveals.indexOf(revealed);
            const said = index < 0 ? now : whole; // at a reveal what the score counts
            if (isHidden) return <td key={name}>?</td>;
            if (said === undefined || !("probabilities" in said)) return <td key={name}>…</td>;
            const verdict = revealed === undefined ? "" : isRight(index, revealed) ? "good" : "bad";
            return (
              <td key={name} class={verdict}>
                <Shares shares={said.probabilities[index < 0 ? cup : index]} />
              </td>
            );
          })}
          {whole === undefined ? (
            <td class="muted">Reading …</td>
          ) : (
            <Score marks={played.reveals.map((reveal, i) => (i < past ? isRight(i, reveal) : undefined))} />
          )}
        </>
      )}
    </tr>
  );
}

const mostLikely = (shares: readonly number[]) => 1 + shares.indexOf(Math.max(...shares));

/** Probabilities of the three values; the largest is in color. */
function Shares({ shares }: { readonly shares: readonly number[] }) {
  const words = shares.map((share, i) => `${i + 1}: ${percentSign(share)}`).join(", ");
  return (
    <svg class="held-bars" viewBox="0 0 42 34" role="img" aria-label={words}>
      <title>{words}</title>
      {shares.map((share, i) => (
        <g key={i} class={i + 1 === mostLikely(shares) ? "most" : undefined}>
          <rect x={i * 14 + 2} width={10} y={22 - 20 * share} height={20 * share + 1} />
          <text x={i * 14 + 7} y={33} text-anchor="middle">
            {i + 1}
          </text>
        </g>
      ))}
    </svg>
  );
}

/** One mark per question: right, wrong, or still without an answer. */
function Score({ marks }: { readonly marks: readonly (boolean | undefined)[] }) {
  const given = marks.filter((mark) => mark !== undefined);
  return (
    <td class="score">
      {given.length === 0 ? "–" : <strong>{`${given.filter(Boolean).length} of ${given.length}`}</strong>}
      <ol class="answers" aria-hidden="true">
        {marks.map((mark, i) => (
          <li key={i} class={mark === undefined ? "later" : mark ? "right" : "wrong"}>
            {mark === undefined ? "" : mark ? "✓" : "✗"}
          </li>
        ))}
      </ol>
    </td>
  );
}

/**
 * @file The machine that a model has become: an automaton learned by querying it, and the true one.
 *
 *     #/machine?model=deltanet-neg1-1&longest=12&seed=1
 *     #/machine?model=trained-1                              one that was trained in this page
 */

import { useEffect, useState } from "preact/hooks";
import { duration, formatCount, integer } from "../../src/core/format.ts";
import type { ViewProps } from "../address.ts";
import { setSettings, whole } from "../address.ts";
import type { HasBecome, ToAsk } from "../automaton/automaton.worker.ts";
import { type Became, MOST_STATES, type Said } from "../automaton/extract.ts";
import { edgePath, layoutNodes } from "../automaton/graph-layout.ts";
import {
  type Language,
  type LanguageName,
  languages,
  START,
  type State,
  taskLanguage,
} from "../automaton/tasks.ts";
import { ModelChoice, Select, Sources } from "../parts/components.tsx";
import { type Column, SummaryTable } from "../parts/records.tsx";
import { exhibits, standing } from "../shell-game/demo-models.ts";
import { why } from "../shell-game/explanations.ts";
import { useWorker } from "../shell-game/use-answers.ts";
import { type Kept, kept, trainedSummary } from "../train/trained-models.ts";

const LONGEST = [6, 12, 24, 48];

interface Subject {
  readonly id: string;
  readonly label: string;
  readonly language: LanguageName;
  readonly trained?: Kept;
  /** What may be said of it, and why. */
  readonly standing: (longest: number) => string;
  readonly why?: string;
  readonly source: string;
}

const shown = exhibits.map(
  (exhibit): Subject => ({
    ...{ id: exhibit.id, label: exhibit.label, language: "session", why: why[exhibit.id] },
    standing: (longest) => standing(exhibit, { swaps: longest, spacing: longest, full: false }),
    source: `a run of the project's own headline (${exhibit.command}), seed 0`,
  }),
);
const trainedHere = () =>
  kept().flatMap((trained): Subject[] => {
    const language = taskLanguage(trained.config.task);
    if (language === undefined) return [];
    return [
      {
        ...trained,
        language,
        trained,
        standing: () => trainedSummary(trained),
        source: "one that was trained in this page",
      },
    ];
  });

function useBecome({ id, language, trained }: Subject, longest: number, seed: number) {
  const [said, setSaid] = useState<HasBecome>();
  const [stopped, setStopped] = useState(false);
  const ask = useWorker<Omit<ToAsk, "request">, HasBecome>("automaton.worker.js", setSaid);
  const begin = () => {
    setSaid(undefined);
    setStopped(false);
    ask({ language, model: trained ?? id, longest, seed });
  };
  useEffect(begin, [id, longest, seed]);
  const stop = () => {
    ask({ language, model: undefined, longest, seed });
    setStopped(true);
  };
  return { said, stopped, stop, begin };
}

export function View({ settings }: ViewProps) {
  const subjects = [...shown, ...trainedHere()];
  const subject = subjects.find(({ id }) => id === settings.model) ?? subjects[0];
  const isGone = settings.model?.startsWith("trained-") && subject.id !== settings.model;
  const longest = whole(settings.longest, 1, 96, 12);
  const seed = whole(settings.seed, 1, 999, 1);
  const language: Language = languages[subject.language];
  const { said, stopped, stop, begin } = useBecome(subject, longest, seed);
  const { unit, letters, truth } = language;
  return (
    <>
      <h1>What machine has the model become?</h1>
      <p class="lead">
        Three things and three swaps are an automaton of six states. A model that follows them has become one,
        whatever it carries inside: it is asked what it holds after a word of swaps, and from its answers
        alone a machine is learned. So is one that you have trained in <a href="#/train">Train it</a>.
      </p>
      {isGone && (
        <p role="alert">
          That model was trained in a page that has been left: it is gone. This is another one.
        </p>
      )}
      <div class="controls">
        <ModelChoice models={subjects} chosen={subject} />
        <Select
          label="Tried on words of up to"
          value={String(longest)}
          options={[...new Set([...LONGEST, longest])].map((each) => [String(each), formatCount(each, unit)])}
          onChange={(each) => setSettings({ longest: each })}
        />
        <button type="button" onClick={() => setSettings({ seed: String(1 + (seed % 999)) })}>
          Other words
        </button>
        {said?.kind === "became" || said?.kind === "failed" || stopped ? (
          stopped && (
            <button type="button" onClick={begin}>
              Ask again
            </button>
          )
        ) : (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
      </div>
      <p class="muted" role="status">
        {stopped
          ? "Stopped."
          : said === undefined
            ? `${subject.label} is loaded …`
            : said.kind === "asking"
              ? `${subject.label} is asked: ${formatCount(said.asked + 1, "word")} so far …`
              : said.kind === "became"
                ? `${subject.label} was asked about ${formatCount(said.asked, "word")} in ${duration(said.milliseconds / 1000)}.`
                : ""}
      </p>
      {said?.kind === "failed" && (
        <p role="alert">The model could not be asked: {said.error}. Reload the page to try again.</p>
      )}
      {said?.kind === "became" && !stopped && <Found became={said} subject={subject} longest={longest} />}
      <div class="pair">
        {said?.kind === "became" && !stopped ? (
          <Picture title={`What ${subject.label} has become`} states={said.states} language={language} />
        ) : (
          <figure class="card">
            <figcaption>What {subject.label} has become</figcaption>
            <p class="muted">It is drawn when it is known.</p>
          </figure>
        )}
        <Picture title="What is true" states={truth} language={language} />
      </div>
      <ul class="legend">
        {letters.map((name, letter) => (
          <li key={name}>
            <svg class="sample" viewBox="0 0 30 10" aria-hidden="true">
              <path class={`machine-line letter${letter}`} d="M0 5H30" />
            </svg>{" "}
            {name}
          </li>
        ))}
        <li>
          <svg class="sample" viewBox="0 0 30 10" aria-hidden="true">
            <path class="machine-line off" d="M0 5H30" />
          </svg>{" "}
          leads where it should not
        </li>
      </ul>
      {said?.kind === "became" && !stopped && <Table states={said.states} language={language} />}
      <Sources>
        <p>
          The model is {subject.source}, computed in the page in plain numbers.{" "}
          {subject.language === "session"
            ? `Every session begins with a = ${START[0]}, b = ${START[1]}, c = ${START[2]}, has the swaps of a word and no print, then one question.`
            : "Before the first letter nothing is asked of it: what is said there is taken as true."}{" "}
          The machine is learned with L* (Angluin 1987; of networks Weiss et al. 2018, arXiv:1711.09576):
          states are words behind which the same is said after every suffix that was found to matter; each
          machine is tried on 40 drawn words. That they agree on these is no promise about others. With more
          than {MOST_STATES} states it is given up, and the last machine is drawn.
        </p>
      </Sources>
    </>
  );
}

function Word({ word, language }: { readonly word: Said["word"]; readonly language: Language }) {
  if (word.length === 0) return <>no {language.unit} at all</>;
  return <span class="word-of-swaps">{word.map((letter) => language.letters[letter]).join(", ")}</span>;
}

function Found(props: { readonly became: Became; readonly subject: Subject; readonly longest: number }) {
  const { became, subject, longest } = props;
  const { states, wrong, departs } = became;
  const language: Language = languages[subject.language];
  const { truth, unit, told } = language;
  const apart = (said: Said) =>
    `after ${formatCount(said.word.length, unit)}: it says ${told(said.says)}, where ${told(said.truth)} is true.`;
  return (
    <section aria-label="What was found">
      <h2>
        {wrong === undefined && departs === undefined
          ? "The true machine"
          : wrong === undefined
            ? "The true machine on short words, and then none so small"
            : departs === undefined
              ? "Another machine"
              : "No machine of so few states"}
      </h2>
      <p>
        {wrong === undefined
          ? `It has ${formatCount(states.length, "state")} and says what is true after every word, of whatever length (product of the two machines). `
          : `The machine that was learned has ${formatCount(states.length, "state")}, the true one ${integer(truth.length)}. `}
        {departs === undefined
          ? `The model agreed with it on all words that were tried, of up to ${formatCount(longest, unit)}.`
          : `The model departs from it ${apart(departs)}`}
        {departs === undefined && wrong !== undefined && ` It is wrong ${apart(wrong)}`}
      </p>
      {(departs ?? wrong) !== undefined && (
        <p class="muted">
          The word: <Word word={(departs ?? wrong)!.word} language={language} />.
        </p>
      )}
      <p>{subject.standing(longest)}</p>
      {subject.why !== undefined && <p>Why: {subject.why}</p>}
    </section>
  );
}

const RADIUS = 23;

function Picture(props: {
  readonly title: string;
  readonly states: readonly State[];
  readonly language: Language;
}) {
  const { title, states, language } = props;
  const { truth, letters, unit, legend } = language;
  const places = layoutNodes(states, truth);
  const reach = Math.max(...places.map(({ x, y }) => Math.max(Math.abs(x), Math.abs(y)))) + RADIUS + 22;
  const lines = states.flatMap((state, from) =>
    state.next.flatMap((to, letter) => {
      const isRight = isTrueStep(truth, state.says, states[to].says, letter);
      // A swap that leads back is one line.
      if (isRight && states[to].next[letter] === from && to < from) return [];
      return [{ from, to, letter, isRight }];
    }),
  );
  const wrong = lines.filter(({ isRight }) => !isRight).length;
  return (
    <figure class="card">
      <figcaption>{title}</figcaption>
      <svg
        class="machine"
        viewBox={`${-reach} ${-reach} ${2 * reach} ${2 * reach}`}
        role="img"
        aria-label={`${title}: ${formatCount(states.length, "state")}, ${wrong === 0 ? `every ${unit} leads where it should` : `${formatCount(wrong, unit)} of ${integer(letters.length * states.length)} lead where they should not`}`}
      >
        <defs>
          <marker
            id={`arrow-${states === truth ? "true" : "own"}`}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path class="machine-arrow" d="M0 0L8 4L0 8Z" />
          </marker>
        </defs>
        {lines.map(({ from, to, letter, isRight }) => (
          <path
            key={`${from} ${letter}`}
            class={`machine-line ${isRight ? `letter${letter}` : "off"}`}
            d={edgePath(places[from], places[to], RADIUS)}
            marker-end={isRight ? undefined : "url(#arrow-own)"}
          />
        ))}
        {states.map(({ says }, i) => (
          <g key={i} transform={`translate(${places[i].x.toFixed(1)} ${places[i].y.toFixed(1)})`}>
            <circle class={`machine-state${i === 0 ? " start" : ""}`} r={RADIUS} />
            <text text-anchor="middle" dy="0.35em">
              {says.join(" ")}
            </text>
          </g>
        ))}
      </svg>
      <p class="muted">
        In a state: {legend}. Thick: before the first {unit}.
      </p>
    </figure>
  );
}

/** Whether a swap leads from what is said to what it makes of that. */
function isTrueStep(
  truth: readonly State[],
  says: readonly number[],
  then: readonly number[],
  letter: number,
): boolean {
  const from = truth.find((each) => String(each.says) === String(says));
  return from !== undefined && String(truth[from.next[letter]].says) === String(then);
}

function Table({ states, language }: { readonly states: readonly State[]; readonly language: Language }) {
  return (
    <details>
      <summary>The machine as a table</summary>
      <SummaryTable
        label="The machine as a table"
        first="state"
        name={([number]) => number}
        rows={states.map((state, i) => [i + 1, state] as const)}
        columns={[
          { title: "says", cell: ([, { says }]) => says.join(" ") },
          ...language.letters.map(
            (letter, i): Column<readonly [number, State]> => ({
              title: `on ${letter}`,
              cell: ([, { next }]) => next[i] + 1,
            }),
          ),
          {
            ...{ title: "reached by", word: true },
            cell: ([, { access }]) => <Word word={access} language={language} />,
          },
        ]}
      />
    </details>
  );
}

/**
 * @file The machine that a model has become: an automaton learned by querying it, and the true one.
 *
 *     #/automaton?model=deltanet-neg1-1&longest=12&seed=1
 *     #/automaton?model=trained-1                              one that was trained in this page
 *     #/automaton?word=0120                                    a word that both read, by the numbers of its letters
 */

import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
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
import { ModelChoice, plainStyles, Select, Sources, save } from "../parts/components.tsx";
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
    source: `from ${exhibit.command}`,
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
        source: "trained in this page",
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
  const { unit, letters, truth, told } = language;
  const became = said?.kind === "became" && !stopped ? said : undefined;
  const parting = became?.departs ?? became?.wrong;
  const noun = became?.departs ? "last hypothesis" : "DFA";
  return (
    <>
      <p class="lead">
        Three values and three swaps form a finite automaton (DFA) with six states. L* extracts a DFA from the
        model's predictions, also from models of <a href="#/train">Train</a>.
      </p>
      {isGone && <p role="alert">That model was trained in a page that is closed. This is another model.</p>}
      <div class="controls">
        <ModelChoice models={subjects} chosen={subject} />
        <Select
          label="Test words up to"
          value={String(longest)}
          options={[...new Set([...LONGEST, longest])].map((each) => [String(each), formatCount(each, unit)])}
          onChange={(each) => setSettings({ longest: each })}
        />
        <button type="button" onClick={() => setSettings({ seed: String(1 + (seed % 999)) })}>
          New words
        </button>
        {(stopped || said === undefined || said.kind === "asking") && (
          <button type="button" onClick={stopped ? begin : stop}>
            {stopped ? "Start again" : "Stop"}
          </button>
        )}
      </div>
      <p class="muted" role="status">
        {stopped
          ? "Stopped."
          : said === undefined
            ? `Loading ${subject.label} …`
            : said.kind === "asking"
              ? `Querying the model: ${formatCount(said.asked + 1, "word")} so far …`
              : said.kind === "became"
                ? `Queried ${formatCount(said.asked, "word")} in ${duration(said.milliseconds / 1000)}.`
                : ""}
      </p>
      {said?.kind === "failed" && <p role="alert">The model failed: {said.error}. Reload the page.</p>}
      <div class="play">
        <Picture
          title={became ? `${subject.label}: ${noun} over the true DFA` : "True DFA"}
          noun={noun}
          states={became?.states ?? truth}
          language={language}
          word={wordIn(settings.word, letters.length) ?? parting?.word ?? []}
        />
        {became && <Found became={became} subject={subject} longest={longest} />}
      </div>
      {became && <Table states={became.states} language={language} />}
      <Sources>
        <p>
          The model is {subject.source}.{" "}
          {subject.language === "session"
            ? `A query starts with ${told(START)}, applies the swaps of a word, then reveals one variable.`
            : "The model is not queried on the empty word: its true state is assumed."}
        </p>
        <p>
          L* (Angluin 1987; Weiss et al. 2018, arXiv:1711.09576) tests each DFA on 40 random words, so other
          words may differ. It stops beyond {MOST_STATES} states and shows its last hypothesis.
        </p>
      </Sources>
    </>
  );
}

function Word({ word, language }: { readonly word: Said["word"]; readonly language: Language }) {
  if (word.length === 0) return <>the empty word</>;
  return <span class="word-of-swaps">{word.map((letter) => language.letters[letter]).join(", ")}</span>;
}

function Found(props: { readonly became: Became; readonly subject: Subject; readonly longest: number }) {
  const { became, subject, longest } = props;
  const { states, wrong, departs } = became;
  const language: Language = languages[subject.language];
  const { truth, unit, told } = language;
  const parting = departs ?? wrong;
  const size = `has ${formatCount(states.length, "state")}${wrong === undefined ? " and is equivalent to the true DFA" : `; the true DFA has ${integer(truth.length)}`}.`;
  return (
    <section class="card" aria-label="Result">
      <h2>
        {wrong === undefined && departs === undefined
          ? "The true DFA"
          : wrong === undefined
            ? "The true DFA on short words only"
            : departs === undefined
              ? "Another DFA"
              : `No DFA with at most ${MOST_STATES} states`}
      </h2>
      <p>
        {departs === undefined
          ? `The DFA ${size} The model agrees with it on the tested words of up to ${formatCount(longest, unit)}.`
          : `The model needs more than ${MOST_STATES} states, so the extraction stopped. Its last hypothesis, which is drawn, ${size}`}
      </p>
      {parting !== undefined && (
        <p>
          After <Word word={parting.word} language={language} />, the{" "}
          {departs === undefined ? "DFA" : `model predicts ${told(departs.says)}, the hypothesis`} predicts{" "}
          {told(states[walk(states, parting.word).at(-1)!].says)}; the true state is {told(parting.truth)}.
        </p>
      )}
      <p>{subject.standing(longest)}</p>
      {subject.why !== undefined && <p>{subject.why}</p>}
    </section>
  );
}

const RADIUS = 23;

/** As many as a test word may have. */
const MOST_LETTERS = 96;

/** The letters of `0120`. */
const wordIn = (text: string | undefined, letters: number) =>
  text === undefined
    ? undefined
    : Array.from(text.replace(/\D/g, "").slice(0, MOST_LETTERS), Number).filter((letter) => letter < letters);

/** States on the way of a word, the first one included. */
function walk(states: readonly State[], word: Said["word"]): number[] {
  const way = [0];
  for (const letter of word) way.push(states[way.at(-1)!].next[letter]); // never empty
  return way;
}

/** A DFA on the true one, which is pale, and the way of a word through both. */
function Picture(props: {
  readonly title: string;
  readonly noun: string;
  readonly states: readonly State[];
  readonly language: Language;
  readonly word: Said["word"];
}) {
  const { title, noun, states, language, word } = props;
  const { truth, letters, legend, told } = language;
  const drawing = useRef<SVGSVGElement>(null);
  const places = layoutNodes(states, truth);
  const truePlaces = layoutNodes(truth, truth);
  const reach =
    Math.max(...[...places, ...truePlaces].map(({ x, y }) => Math.max(Math.abs(x), Math.abs(y)))) +
    RADIUS +
    22;
  const lines = states.flatMap((state, from) =>
    state.next.flatMap((to, letter) => {
      const isRight = isTrueStep(truth, state.says, states[to].says, letter);
      // A swap that leads back is one line.
      if (isRight && states[to].next[letter] === from && to < from) return [];
      return [{ from, to, letter, isRight }];
    }),
  );
  const wrong = lines.filter(({ isRight }) => !isRight).length;
  const [own, right] = [walk(states, word), walk(truth, word)];
  const [says, held] = [states[own.at(-1)!].says, truth[right.at(-1)!].says]; // never empty
  const agrees = String(says) === String(held);
  const read = (letters: Said["word"]) => setSettings({ word: letters.join("") });
  return (
    <figure class="card">
      <figcaption>{title}</figcaption>
      <svg
        ref={drawing}
        class="machine"
        viewBox={`${-reach} ${-reach} ${2 * reach} ${2 * reach}`}
        role="img"
        aria-label={`${title}: ${formatCount(states.length, "state")}, ${wrong === 0 ? "every transition is correct" : `${wrong} of ${integer(letters.length * states.length)} transitions are wrong`}`}
      >
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path class="machine-arrow" d="M0 0L8 4L0 8Z" />
          </marker>
        </defs>
        {truth.flatMap((state, from) =>
          state.next.map((to, letter) => (
            <path
              key={`true ${from} ${letter}`}
              class="machine-true"
              d={edgePath(truePlaces[from], truePlaces[to], RADIUS)}
            />
          )),
        )}
        {truePlaces.map(({ x, y }, i) => (
          <g key={`true ${i}`}>
            <circle class="machine-true" cx={x} cy={y} r={RADIUS} />
            <text x={x} y={y} text-anchor="middle" dy="0.35em">
              {truth[i].says.join(" ")}
            </text>
          </g>
        ))}
        {lines.map(({ from, to, letter, isRight }) => (
          <path
            key={`${from} ${letter}`}
            class={`machine-line letter${letter}${isRight ? "" : " off"}`}
            d={edgePath(places[from], places[to], RADIUS)}
            marker-end={isRight ? undefined : "url(#arrow)"}
          />
        ))}
        {own.slice(1).map((to, i) => (
          <path
            key={`way ${i}`}
            class={`machine-way${agrees ? "" : " off"}`}
            d={edgePath(places[own[i]], places[to], RADIUS)}
          />
        ))}
        {states.map(({ says }, i) => (
          <g key={i} transform={`translate(${places[i].x.toFixed(1)} ${places[i].y.toFixed(1)})`}>
            <circle
              class={`machine-state${i === 0 ? " start" : ""}${i === own.at(-1) ? ` at${agrees ? "" : " off"}` : ""}`}
              r={RADIUS}
            />
            <text text-anchor="middle" dy="0.35em">
              {says.join(" ")}
            </text>
          </g>
        ))}
        <circle
          class="machine-held"
          cx={truePlaces[right.at(-1)!].x}
          cy={truePlaces[right.at(-1)!].y}
          r={RADIUS + 5}
        />
      </svg>
      <div class="controls">
        {letters.map((name, letter) => (
          <button
            key={name}
            type="button"
            disabled={word.length >= MOST_LETTERS}
            aria-label={`Append ${name}`}
            onClick={() => read([...word, letter])}
          >
            <svg class="sample" viewBox="0 0 30 10" aria-hidden="true">
              <path class={`machine-line letter${letter}`} d="M0 5H30" />
            </svg>{" "}
            {name}
          </button>
        ))}
        <button type="button" disabled={word.length === 0} onClick={() => read(word.slice(0, -1))}>
          Remove last
        </button>
        <button type="button" disabled={word.length === 0} onClick={() => read([])}>
          Clear
        </button>
        <button
          type="button"
          onClick={() =>
            save(
              `${title.toLowerCase().replace(/\W+/g, "-")}.svg`,
              posterOf(drawing.current!, title, letters),
            )
          }
        >
          Save SVG
        </button>
      </div>
      <p role="status">
        After <Word word={word} language={language} />, the {noun} predicts {told(says)};{" "}
        {agrees ? "so does the true DFA." : `the true state is ${told(held)}.`}
      </p>
      <p class="muted">
        In a state: {legend}. Thick circle: start state. Pale: the true DFA. Thin line: a transition, dashed
        as on its button, red if wrong. Thick line: the path of the word, red if it ends in a wrong state.
        Green ring: the true state after the word.
      </p>
    </figure>
  );
}

/** The drawing with its title and its letters, as a file. */
function posterOf(drawing: SVGSVGElement, title: string, letters: readonly string[]): string {
  const { x, y, width, height } = drawing.viewBox.baseVal;
  const poster = (
    <svg role="img" aria-label={title} viewBox={`${x} ${y - 40} ${width} ${height + 80}`}>
      <style>{plainStyles(".machine")}</style>
      <rect {...{ x, width }} y={y - 40} height={height + 80} fill="#fff" />
      <text class="machine-title" x={x + 16} y={y - 14}>
        {title}
      </text>
      <g class="machine" dangerouslySetInnerHTML={{ __html: drawing.innerHTML }} />
      {letters.map((name, letter) => (
        <g
          key={name}
          class="machine"
          transform={`translate(${x + 16 + (letter * (width - 32)) / letters.length} ${y + height + 16})`}
        >
          <path class={`machine-line letter${letter}`} d="M0 0H28" />
          <text x="34" y="4">
            {name}
          </text>
        </g>
      ))}
    </svg>
  );
  const host = document.createElement("div");
  render(poster, host);
  return new XMLSerializer().serializeToString(host.firstElementChild!); // rendered above
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
      <summary>DFA as a table</summary>
      <SummaryTable
        label="DFA as a table"
        first="state"
        name={([number]) => number}
        rows={states.map((state, i) => [i + 1, state] as const)}
        columns={[
          { title: "predicts", cell: ([, { says }]) => says.join(" ") },
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

/**
 * @file The machine that a model has become: an automaton learned by asking it, beside what swaps really do.
 *
 *     #/machine?model=deltanet-neg1-1&longest=12&seed=1
 */

import { useEffect, useRef, useState } from "preact/hooks";
import { counted, duration, integer } from "../../src/math/format.ts";
import { setSettings, whole } from "../address.ts";
import { type Became, MOST_STATES, type Said, START, STOP, type State, truth } from "../machine/become.ts";
import type { HasBecome, ToAsk } from "../machine/machine.worker.ts";
import { lineOf, placesOf } from "../machine/picture.ts";
import exhibits from "../models/exhibits.json" with { type: "json" };
import { ModelChoice } from "../parts/model-choice.tsx";
import { Wide } from "../parts/wide.tsx";
import { type Exhibit, standing } from "../shell-game/exhibits.ts";
import { SWAPS } from "../shell-game/session.ts";
import { why } from "../shell-game/why.ts";
import type { ViewProps } from "../view.ts";

const models = exhibits as unknown as readonly Exhibit[];
const LONGEST = [6, 12, 24, 48];
const swapName = (letter: number) => [...SWAPS[letter]].join(" ⇄ ");

function useBecome(asked: Omit<ToAsk, "request">) {
  const worker = useRef<Worker>(undefined);
  const latest = useRef(0);
  const [said, setSaid] = useState<HasBecome>();
  const [stopped, setStopped] = useState(false);
  useEffect(() => {
    const own = new Worker(new URL("machine.worker.js", import.meta.url), { type: "module" });
    worker.current = own;
    own.addEventListener("message", ({ data }: MessageEvent<HasBecome>) => {
      if (data.request === latest.current) setSaid(data);
    });
    return () => own.terminate();
  }, []);
  const begin = () => {
    const message: ToAsk = { ...asked, request: ++latest.current };
    setSaid(undefined);
    setStopped(false);
    worker.current?.postMessage(message);
  };
  useEffect(begin, [JSON.stringify(asked)]);
  const stop = () => {
    latest.current++; // what still comes is not heard
    worker.current?.postMessage({ ...asked, request: STOP } satisfies ToAsk);
    setStopped(true);
  };
  return { said, stopped, stop, begin };
}

export function View({ settings }: ViewProps) {
  const exhibit = models.find(({ id }) => id === settings.model) ?? models[0];
  const longest = whole(settings.longest, 1, 96, 12);
  const seed = whole(settings.seed, 1, 999, 1);
  const { said, stopped, stop, begin } = useBecome({ exhibit: exhibit.id, longest, seed });
  return (
    <>
      <h1>What machine has the model become?</h1>
      <p class="lead">
        Three things and three swaps are an automaton of six states. A model that follows them has become one,
        whatever it carries inside: it is asked what a, b and c hold after a word of swaps, and from its
        answers alone a machine is learned.
      </p>
      <div class="controls">
        <ModelChoice models={models} chosen={exhibit} />
        <label>
          Tried on words of up to{" "}
          <select
            value={longest}
            onChange={({ currentTarget }) => setSettings({ longest: currentTarget.value })}
          >
            {[...new Set([...LONGEST, longest])].map((each) => (
              <option key={each} value={each}>
                {counted(each, "swap")}
              </option>
            ))}
          </select>
        </label>
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
            ? `${exhibit.label} is loaded …`
            : said.kind === "asking"
              ? `${exhibit.label} is asked: ${counted(said.asked + 1, "word")} so far …`
              : said.kind === "became"
                ? `${exhibit.label} was asked about ${counted(said.asked, "word")} in ${duration(said.milliseconds / 1000)}.`
                : ""}
      </p>
      {said?.kind === "failed" && (
        <p role="alert">The model could not be asked: {said.error}. Reload the page to try again.</p>
      )}
      {said?.kind === "became" && !stopped && <Found became={said} exhibit={exhibit} longest={longest} />}
      <div class="pair">
        {said?.kind === "became" && !stopped ? (
          <Picture title={`What ${exhibit.label} has become`} states={said.states} />
        ) : (
          <figure class="card">
            <figcaption>What {exhibit.label} has become</figcaption>
            <p class="muted">It is drawn when it is known.</p>
          </figure>
        )}
        <Picture title="What swaps do" states={truth} />
      </div>
      <ul class="legend">
        {SWAPS.map((swap, letter) => (
          <li key={swap}>
            <svg class="sample" viewBox="0 0 30 10" aria-hidden="true">
              <path class={`machine-line letter${letter}`} d="M0 5H30" />
            </svg>{" "}
            {swapName(letter)}
          </li>
        ))}
        <li>
          <svg class="sample" viewBox="0 0 30 10" aria-hidden="true">
            <path class="machine-line off" d="M0 5H30" />
          </svg>{" "}
          leads where it should not
        </li>
      </ul>
      {said?.kind === "became" && !stopped && <Table states={said.states} />}
      <details>
        <summary>How do you know?</summary>
        <p>
          The model is a run of the project's own headline ({exhibit.command}), seed 0, computed in the page.
          Every session begins with a = {START[0]}, b = {START[1]}, c = {START[2]}, has the swaps of a word
          and no print, then one question. The machine is learned with L* (Angluin 1987; of networks Weiss et
          al. 2018, arXiv:1711.09576): states are words behind which the same is said after every suffix that
          was found to matter; each machine is tried on 40 drawn words. That they agree on these is no promise
          about others. With more than {MOST_STATES} states it is given up, and the last machine is drawn.
        </p>
      </details>
    </>
  );
}

function Word({ word }: { readonly word: Said["word"] }) {
  if (word.length === 0) return <>no swap at all</>;
  return <span class="word-of-swaps">{word.map(swapName).join(", ")}</span>;
}

function Found(props: { readonly became: Became; readonly exhibit: Exhibit; readonly longest: number }) {
  const { became, exhibit, longest } = props;
  const { states, wrong, departs } = became;
  const [a, b, c] = (departs ?? wrong)?.says ?? [];
  const [x, y, z] = (departs ?? wrong)?.truth ?? [];
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
          ? `It has ${counted(states.length, "state")} and says what is true after every word, of whatever length (product of the two machines). `
          : `The machine that was learned has ${counted(states.length, "state")}, the true one ${integer(truth.length)}. `}
        {departs === undefined ? (
          `The model agreed with it on all words that were tried, of up to ${counted(longest, "swap")}.`
        ) : (
          <>
            The model departs from it after {counted(departs.word.length, "swap")}: it says a = {a}, b = {b},
            c = {c}, where a = {x}, b = {y}, c = {z} is true.
          </>
        )}
        {departs === undefined && wrong !== undefined && (
          <>
            {" "}
            After {counted(wrong.word.length, "swap")} it says a = {a}, b = {b}, c = {c}, where a = {x}, b ={" "}
            {y}, c = {z} is true.
          </>
        )}
      </p>
      {(departs ?? wrong) !== undefined && (
        <p class="muted">
          The word: <Word word={(departs ?? wrong)!.word} />.
        </p>
      )}
      <p>{standing(exhibit, { swaps: longest, spacing: longest, full: false })}</p>
      <p>Why: {why[exhibit.id]}</p>
    </section>
  );
}

const RADIUS = 23;

function Picture({ title, states }: { readonly title: string; readonly states: readonly State[] }) {
  const places = placesOf(states);
  const reach = Math.max(...places.map(({ x, y }) => Math.max(Math.abs(x), Math.abs(y)))) + RADIUS + 22;
  const lines = states.flatMap((state, from) =>
    state.next.flatMap((to, letter) => {
      const isRight = isTrueStep(state.says, states[to].says, letter);
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
        aria-label={`${title}: ${counted(states.length, "state")}, ${wrong === 0 ? "every swap leads where it should" : `${counted(wrong, "swap")} of ${integer(3 * states.length)} lead where they should not`}`}
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
            d={lineOf(places[from], places[to], RADIUS)}
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
      <p class="muted">In a state: what a, b, c are said to hold. Thick: before the first swap.</p>
    </figure>
  );
}

/** Whether a swap leads from what is said to what it makes of that. */
function isTrueStep(says: readonly number[], then: readonly number[], letter: number): boolean {
  const from = truth.find((each) => String(each.says) === String(says));
  return from !== undefined && String(truth[from.next[letter]].says) === String(then);
}

function Table({ states }: { readonly states: readonly State[] }) {
  return (
    <details>
      <summary>The machine as a table</summary>
      <Wide label="The machine as a table">
        <table>
          <thead>
            <tr>
              <th scope="col">state</th>
              <th scope="col">says</th>
              {SWAPS.map((swap, letter) => (
                <th key={swap} scope="col">
                  on {swapName(letter)}
                </th>
              ))}
              <th scope="col">reached by</th>
            </tr>
          </thead>
          <tbody>
            {states.map(({ says, next, access }, i) => (
              <tr key={i}>
                <th scope="row">{i + 1}</th>
                <td>{says.join(" ")}</td>
                {next.map((to, letter) => (
                  <td key={letter}>{to + 1}</td>
                ))}
                <td class="word">
                  <Word word={access} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </details>
  );
}

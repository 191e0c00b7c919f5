/**
 * @file The shell game: a session plays with its true slots, and trained models name what it prints. The visitor changes the session.
 *
 *     #/shell-game?length=24&spacing=4&seed=3&at=7       a session that is drawn, after seven swaps
 *     #/shell-game?start=213&swaps=ab.bc.ab&spacing=1    one of the visitor's own
 *     #/shell-game?beliefs=open                          with the beliefs about every variable
 */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { windowedBayes } from "../../src/tasks/repl/bayes.ts";
import { readProgram } from "../../src/tasks/repl/parser.ts";
import type { ViewProps } from "../address.ts";
import { setSettings, whole } from "../address.ts";
import { Select, Sources, Transport } from "../parts/components.tsx";
import { Holding } from "../shell-game/belief-table.tsx";
import { type Exhibit, exhibits, standing } from "../shell-game/demo-models.ts";
import { why } from "../shell-game/explanations.ts";
import { Measured, Shells } from "../shell-game/measured.tsx";
import {
  drawn,
  MOST_SWAPS,
  type Played,
  play,
  type Session,
  SWAPS,
  type Swap,
  VARIABLES,
} from "../shell-game/session.ts";
import { type Answers, useAnswers } from "../shell-game/use-answers.ts";

/** The address is written when the place has not moved for so long. */
const REST_MILLISECONDS = 300;
const LENGTHS = [6, 12, 24, 48, 96];
const SPACINGS = [1, 2, 4, 8, 12, 24];

export function sessionFrom(settings: ViewProps["settings"]): Session {
  const reveal = settings.reveal === "full" ? "full" : "partial";
  const seed = whole(settings.seed, 0, 999_999_999, 1);
  const length = whole(settings.length, 1, MOST_SWAPS, 48);
  const spacing = whole(settings.spacing, 1, MOST_SWAPS, 4);
  const session = drawn(length, spacing, reveal, seed);
  const own = settings.swaps?.split(".").filter((each): each is Swap => SWAPS.some((swap) => swap === each));
  const start = [...(settings.start ?? "")].map(Number);
  return {
    ...session,
    ...(own !== undefined && own.length > 0 && { swaps: own.slice(0, MOST_SWAPS) }),
    ...([...start].sort().join("") === "123" && { start }),
  };
}

export function View({ settings }: ViewProps) {
  const { at: place, beliefs, ...own } = settings;
  const session = useMemo(() => sessionFrom(own), [JSON.stringify(own)]);
  const played = useMemo(() => play(session), [session]);
  const questions = useMemo(
    () => [{ text: played.text, places: played.reveals.map(({ before }) => before) }],
    [played],
  );
  const answers = useAnswers(questions);
  const last = session.swaps.length;
  const [at, setAt] = useState(() => whole(place, 0, last, last));
  const [playing, setPlaying] = useState(false);
  const first = useRef(played);
  useEffect(() => {
    if (first.current !== played) setAt(last);
    first.current = played;
  }, [played]);
  useEffect(() => {
    const reached = at >= last ? undefined : String(at);
    if (playing || reached === place) return;
    const timer = setTimeout(() => setSettings({ at: reached }), REST_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [at, last, playing, place]);
  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(() => setAt((now) => Math.min(last, now + 1)), 500);
    return () => clearInterval(timer);
  }, [playing, last]);
  useEffect(() => {
    if (playing && at >= last) setPlaying(false);
  }, [at, last, playing]);
  const start = () => {
    if (at >= last) setAt(0);
    setPlaying(!playing);
  };
  return (
    <>
      <h1>Predict three values that a program keeps swapping</h1>
      <p class="lead">
        The program puts 1, 2 and 3 into three variables and swaps two of them per line. A reveal prints one
        variable; each model predicts its value from the lines before.
      </p>
      <Controls session={session} />
      <div class="game">
        <section class="card" aria-label="The session">
          <Shells held={played.moments[Math.min(at, last)]} swap={session.swaps[at - 1]} />
          <Transport
            {...{ at, last, unit: "swap", slider: "Swaps so far" }}
            go={(to) => setAt(Math.min(last, Math.max(0, to)))}
            first={
              <button type="button" onClick={start}>
                {playing ? "Pause" : at >= last ? "Play" : "Resume"}
              </button>
            }
          >
            <output>
              {at} of {last} swaps
            </output>
          </Transport>
          <Text played={played} at={at} />
        </section>
        <div class="models">
          <Reference played={played} spacing={session.spacing} />
          {exhibits.map((exhibit) => (
            <Model
              key={exhibit.id}
              exhibit={exhibit}
              session={session}
              played={played}
              answer={answers[exhibit.id]}
              at={at}
            />
          ))}
        </div>
      </div>
      <details
        class="card holding"
        open={beliefs === "open"}
        onToggle={({ currentTarget: { open } }) => setSettings({ beliefs: open ? "open" : undefined })}
      >
        <summary>Predictions of every variable now</summary>
        {beliefs === "open" && (
          <Holding
            models={exhibits}
            session={session}
            played={played}
            at={Math.min(at, last)}
            ready={!playing && exhibits.every(({ id }) => answers[id] !== undefined)}
          />
        )}
      </details>
      <p class="next">
        Next: <a href="#/train">train two models</a> or <a href="#/theatre">inspect a memory</a>.
      </p>
      <Sources>
        <p>
          The models come from <code>{exhibits[0].command}</code>, with weights rounded to 16 bits. A model
          fits a kind of session if it scores at least 95 % on {exhibits[0].asked.toLocaleString("en")}{" "}
          held-out ones.
        </p>
        <Measured models={exhibits} />
      </Sources>
    </>
  );
}

function Controls({ session }: { readonly session: Session }) {
  const { swaps, spacing, reveal, seed } = session;
  const own = (next: readonly Swap[]) =>
    setSettings({ swaps: next.join("."), start: session.start.join("") });
  return (
    <form class="controls" onSubmit={(event) => event.preventDefault()}>
      <Select
        label="Swaps"
        value={swaps.length}
        options={LENGTHS}
        onChange={(length) => redraw({ length })}
      />
      <Select
        label="Reveal interval"
        value={spacing}
        options={SPACINGS}
        onChange={(each) => setSettings({ spacing: each })}
      />
      <Select
        label="Revealed"
        value={reveal}
        options={[
          ["partial", "one variable"],
          ["full", "all variables"],
        ]}
        onChange={(each) => setSettings({ reveal: each })}
      />
      <button type="button" onClick={() => redraw({ seed: String(seed + 1) })}>
        New session
      </button>
      <span class="append">
        Append:{" "}
        {SWAPS.map((swap) => (
          <button
            type="button"
            key={swap}
            disabled={swaps.length >= MOST_SWAPS}
            onClick={() => own([...swaps, swap])}
          >
            {swap[0]} ⇄ {swap[1]}
          </button>
        ))}
        <button
          type="button"
          disabled={swaps.length < 2}
          onClick={() => own(swaps.slice(0, -1))}
          aria-label="Remove the last swap"
        >
          ⌫
        </button>
      </span>
    </form>
  );
}

/** A random session has no swaps in the address. */
const redraw = (change: Readonly<Record<string, string>>) => setSettings({ ...change, swaps: "", start: "" });

function Text({ played, at }: { readonly played: Played; readonly at: number }) {
  const past = played.lines.filter(({ after }) => after <= at);
  const from = Math.max(0, past.length - 12);
  return (
    <pre class="session">
      {from > 0 ? "…\n" : ""}
      {past.slice(from).map(({ text, kind }, i) => (
        <span key={from + i} class={kind}>
          {text}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}

/** Accuracy of a reader without memory of the swaps before the last print. */
function Reference({ played, spacing }: { readonly played: Played; readonly spacing: number }) {
  const known = windowedBayes(readProgram(played.text), { window: spacing, boundary: true });
  if (known.length === 0) return <p class="muted">No reveals: choose a shorter reveal interval.</p>;
  const mean = known.reduce((sum, each) => sum + each, 0) / known.length;
  return (
    <p class="muted">
      {known.length} {known.length === 1 ? "reveal" : "reveals"}; chance is 33 %. A windowed Bayes filter,
      which reads from the last reveal on, scores {Math.round(100 * mean)} %.
    </p>
  );
}

function Model(props: {
  readonly exhibit: Exhibit;
  readonly session: Session;
  readonly played: Played;
  readonly answer: Answers[string] | undefined;
  readonly at: number;
}) {
  const { exhibit, session, played, answer, at } = props;
  const { reveals } = played;
  const { spacing, reveal, swaps } = session;
  const stands = standing(exhibit, { swaps: swaps.length, spacing, full: reveal === "full" });
  return (
    <section
      class="card model"
      aria-label={exhibit.label}
      data-state={answer === undefined ? "reading" : "error" in answer ? "error" : "read"}
    >
      <h2>{exhibit.label}</h2>
      {answer === undefined ? (
        <p class="muted">Reading …</p>
      ) : "error" in answer ? (
        <p role="alert">Prediction failed: {answer.error}.</p>
      ) : (
        <Told reveals={reveals} probabilities={answer.probabilities} at={at} />
      )}
      <p class="standing">{stands}</p>
      <p class="muted">{why[exhibit.id]}</p>
    </section>
  );
}

function Told(props: {
  readonly reveals: Played["reveals"];
  readonly probabilities: readonly (readonly number[])[];
  readonly at: number;
}) {
  const { reveals, probabilities, at } = props;
  const says = probabilities.map((shares) => 1 + shares.indexOf(Math.max(...shares)));
  const past = reveals.filter(({ after }) => after <= at).length;
  const right = reveals.slice(0, past).filter(({ value }, i) => says[i] === value).length;
  const now = reveals.findLastIndex(({ after }) => after <= at);
  return (
    <>
      <p class="score">
        {past === 0 ? (
          `No reveals${reveals.length === 0 ? "" : " yet"}.`
        ) : (
          <>
            <strong>
              {right} of {past}
            </strong>{" "}
            correct{past < reveals.length ? " so far" : ""}
          </>
        )}
      </p>
      <ol class="answers">
        {reveals.map(({ after, variable, value }, i) => {
          const isRight = says[i] === value;
          const share = Math.round(100 * probabilities[i][says[i] - 1]);
          return (
            <li
              key={`${after}-${variable}`}
              class={`${isRight ? "right" : "wrong"}${after > at ? " later" : ""}${i === now ? " now" : ""}`}
              title={`after ${after} swaps: ${VARIABLES[variable]} = ${value}, predicted ${says[i]} (${share} %)`}
            >
              <span aria-hidden="true">{isRight ? "✓" : "✗"}</span>
              <span class="unseen">
                {VARIABLES[variable]} after {after}: {isRight ? "correct" : "wrong"}
              </span>
            </li>
          );
        })}
      </ol>
      {now >= 0 && (
        <Belief {...reveals[now]} name={VARIABLES[reveals[now].variable]} shares={probabilities[now]} />
      )}
    </>
  );
}

function Belief(props: {
  readonly name: string;
  readonly after: number;
  readonly value: number;
  readonly shares: readonly number[];
}) {
  const { name, after, value, shares } = props;
  return (
    <table class="belief">
      <caption>
        Reveal after {after} {after === 1 ? "swap" : "swaps"}, {name} = {value}: predicted probabilities
      </caption>
      <tbody>
        {shares.map((share, i) => (
          <tr key={i} class={i + 1 === value ? "true" : undefined}>
            <th scope="row">{i + 1}</th>
            <td>
              <meter min={0} max={1} value={share} /> {(100 * share).toFixed(1)} %
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/**
 * @file The shell game: a session swaps three cups, four trained models follow it, and the visitor plays against them.
 *
 *     #/shell-game?length=24&spacing=4&seed=3            a session that is drawn; it plays at once
 *     #/shell-game?length=24&seed=3&at=7                 the same, paused after seven swaps
 *     #/shell-game?start=213&swaps=ab.bc.ab&spacing=1    one of the visitor's own
 *     #/shell-game?you=play&cups=open                    waits for the visitor at each reveal; shows the values
 */

import { Fragment } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { chanceInARow } from "../../src/core/statistics.ts";
import { windowedBayes } from "../../src/tasks/repl/bayes.ts";
import { readProgram } from "../../src/tasks/repl/parser.ts";
import type { ViewProps } from "../address.ts";
import { setSettings, whole } from "../address.ts";
import { Check, Select, Sources, Transport } from "../parts/components.tsx";
import { Board, type Place, revealAt } from "../shell-game/board.tsx";
import { exhibits, standing } from "../shell-game/demo-models.ts";
import { why } from "../shell-game/explanations.ts";
import {
  drawn,
  MOST_SWAPS,
  type Played,
  play,
  questionsAt,
  type Session,
  SWAPS,
  type Swap,
} from "../shell-game/session.ts";
import { useAnswers } from "../shell-game/use-answers.ts";

/** The address is written when the place has not moved for so long. */
const REST_MILLISECONDS = 300;
const SWAP_MILLISECONDS = 800;
/** Before a cup is lifted: time for a first click. */
const QUESTION_MILLISECONDS = 2500;
/** After a guess: time to read which cups were right. */
const REVEAL_MILLISECONDS = 2000;
const LENGTHS = [6, 12, 24, 48, 96];
const SPACINGS = [1, 2, 4, 8, 12, 24];

export function sessionFrom(settings: ViewProps["settings"]): Session {
  const reveal = settings.reveal === "full" ? "full" : "partial";
  const seed = whole(settings.seed, 0, 999_999_999, 4);
  const length = whole(settings.length, 1, MOST_SWAPS, 24);
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
  const { at: place, you, cups, ...own } = settings;
  const session = useMemo(() => sessionFrom(own), [JSON.stringify(own)]);
  const played = useMemo(() => play(session), [session]);
  const last = session.swaps.length;
  const [now, setAt] = useState(() => whole(place, 0, last, 0));
  const at = Math.min(now, last);
  const [first, setFirst] = useState(at); // the models read this place first
  const [playing, setPlaying] = useState(
    () => place === undefined && !matchMedia("(prefers-reduced-motion: reduce)").matches,
  );
  const [isAsking, setAsking] = useState(false);
  const [guesses, setGuesses] = useState<Place["guesses"]>({});
  const questions = useMemo(
    () => [
      {
        name: "reveals",
        parts: [{ text: played.text, places: played.reveals.map(({ before }) => before) }],
      },
      ...played.moments.map((_, i) => {
        const after = (first + i) % (last + 1);
        return { name: String(after), parts: questionsAt(played, after) };
      }),
    ],
    [played, first],
  );
  const answers = useAnswers(played.text, questions);
  const isRead = exhibits.every(({ id }) => answers[id]?.[at] !== undefined);
  const waits = you === "play";
  const over = at >= last && (!isAsking || waits);

  const go = (to: number, asks = waits) => {
    const next = Math.min(last, Math.max(0, to));
    setAsking(asks && next === at + 1 && revealAt(played, next) !== undefined);
    setAt(next);
    if (Math.abs(next - at) > 1) setFirst(next);
  };
  useEffect(() => {
    const reached = playing ? undefined : String(at);
    if (reached === place) return;
    const timer = setTimeout(() => setSettings({ at: reached }), REST_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [at, playing, place]);
  useEffect(() => {
    if (!playing || !isRead || (isAsking && waits)) return;
    if (at >= last && !isAsking) return setPlaying(false);
    const next = () => (isAsking ? setAsking(false) : go(at + 1, true));
    const shown = guesses[at] === undefined ? SWAP_MILLISECONDS : REVEAL_MILLISECONDS;
    const timer = setTimeout(next, isAsking ? QUESTION_MILLISECONDS : shown);
    return () => clearTimeout(timer);
  }, [playing, at, last, isRead, isAsking, waits]);
  const begin = (at: number, plays: boolean) => {
    setAt(at);
    setFirst(at);
    setAsking(false);
    setPlaying(plays);
  };
  const redraw = (change: Readonly<Record<string, string | undefined>>) => {
    setSettings({ ...change, at: undefined });
    setGuesses({});
    begin(0, true);
  };
  const write = (swaps: readonly Swap[]) => {
    setSettings({ swaps: swaps.join("."), start: session.start.join(""), at: String(swaps.length) });
    if (own.swaps === undefined) setGuesses({});
    begin(swaps.length, false);
    setAsking(waits && swaps.length % session.spacing === 0);
  };
  const guess = (cup: number) => {
    setGuesses({ ...guesses, [at]: cup });
    setAsking(false);
    if (!waits) setSettings({ you: "play" });
  };
  const written = own.swaps === undefined ? [] : session.swaps; // of the visitor
  return (
    <>
      <p class="lead">
        Each line swaps two of three values. Four trained models read the lines, and so do you: click a cup
        when you are asked.
      </p>
      <div class="play">
        <section class="card" aria-label="The game">
          <Transport
            {...{ at, last, go, unit: "swap", slider: "Swaps so far" }}
            first={
              <button type="button" class="first" onClick={() => (over ? redraw({}) : setPlaying(!playing))}>
                {over ? "Replay" : playing ? "Pause" : "Play"}
              </button>
            }
          >
            <output>
              {at} of {last} swaps
            </output>
            <Check label="Wait for my guess" setting="you" value="play" chosen={you} />
            <Check label="Lift all cups" setting="cups" value="open" chosen={cups} />
          </Transport>
          <Board
            place={{ played, at, isAsking, guesses }}
            swap={session.swaps[at - 1]}
            isOpen={cups === "open"}
            {...{ models: exhibits, answers, guess, waits }}
          />
          <Reference played={played} session={session} />
        </section>
        <section class="card" aria-label="The session">
          <Text played={played} at={at} isAsking={isAsking} />
          <p class="append">
            Own swaps:{" "}
            {SWAPS.map((swap) => (
              <button
                type="button"
                key={swap}
                disabled={written.length >= MOST_SWAPS}
                onClick={() => write([...written, swap])}
              >
                {swap[0]} ⇄ {swap[1]}
              </button>
            ))}
            <button
              type="button"
              disabled={written.length < 2}
              onClick={() => write(written.slice(0, -1))}
              aria-label="Remove the last swap"
            >
              ⌫
            </button>
          </p>
        </section>
      </div>
      <Controls session={session} redraw={redraw} />
      <Sources>
        <p>
          A belief is a model's prediction if the next line printed the variable. At a reveal, the models
          predict the value of the printed variable; you say which variable has the value. Chance is 33 % for
          both.
        </p>
        <p>
          The models come from <code>{exhibits[0].command}</code>, with weights rounded to 16 bits. A model
          fits a kind of session if it scores at least 95 % on {exhibits[0].asked.toLocaleString("en")}{" "}
          held-out ones.
        </p>
        <dl class="facts">
          {exhibits.map((exhibit) => (
            <Fragment key={exhibit.id}>
              <dt>{exhibit.label}</dt>
              <dd>
                {standing(exhibit, {
                  ...{ swaps: last, spacing: session.spacing },
                  full: session.reveal === "full",
                })}{" "}
                {why[exhibit.id]}
              </dd>
            </Fragment>
          ))}
        </dl>
      </Sources>
    </>
  );
}

function Controls(props: {
  readonly session: Session;
  readonly redraw: (change: Readonly<Record<string, string | undefined>>) => void;
}) {
  const { session, redraw } = props;
  const { swaps, spacing, reveal, seed } = session;
  const drawn = { swaps: undefined, start: undefined };
  return (
    <form class="controls" onSubmit={(event) => event.preventDefault()}>
      <Select
        label="Swaps"
        value={swaps.length}
        options={LENGTHS}
        onChange={(length) => redraw({ ...drawn, length })}
      />
      <Select
        label="Reveal interval"
        value={spacing}
        options={SPACINGS}
        onChange={(each) => redraw({ spacing: each })}
      />
      <Select
        label="Revealed"
        value={reveal}
        options={[
          ["partial", "one variable"],
          ["full", "all variables"],
        ]}
        onChange={(each) => redraw({ reveal: each })}
      />
      <button type="button" onClick={() => redraw({ ...drawn, seed: String(seed + 1) })}>
        New session
      </button>
    </form>
  );
}

function Text({ played, at, isAsking }: Omit<Place, "guesses">) {
  const past = played.lines.filter(
    ({ after, kind }) => after < at || (after === at && !(isAsking && kind === "print")),
  );
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
function Reference({
  played,
  session: { spacing, reveal },
}: {
  readonly played: Played;
  readonly session: Session;
}) {
  const known = windowedBayes(readProgram(played.text), { window: spacing, boundary: true });
  if (known.length === 0) return <p class="muted">No reveals: choose a shorter reveal interval.</p>;
  const mean = known.reduce((sum, each) => sum + each, 0) / known.length;
  return (
    <p class="muted">
      {known.length} {known.length === 1 ? "reveal" : "reveals"}; chance is{" "}
      {Math.round(100 * (reveal === "full" ? chanceInARow(3) : 1 / 3))} %. A windowed Bayes filter, which
      reads from the last reveal on, scores {Math.round(100 * mean)} %.
    </p>
  );
}

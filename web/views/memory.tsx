/**
 * @file Memory: the matrix that a head of a DeltaNet carries, line by line; what each token does to it; and what is lost without a head.
 *
 *     #/memory?model=deltanet-neg1-1&head=0.1&line=12&silenced=0.1        and the session, as in the shell game
 */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ViewProps } from "../address.ts";
import { setSettings, whole } from "../address.ts";
import type { ToFollow, ToReadOut, WasFollowed, WasReadOut } from "../memory-view/memory.worker.ts";
import {
  type Followed,
  type HeadTrack,
  headName,
  memoryAfter,
  type Readout,
  strongest,
} from "../memory-view/memory-trace.ts";
import { ModelChoice, Select, Shares, Sources, Transport, Wide } from "../parts/components.tsx";
import { exhibits } from "../shell-game/demo-models.ts";
import { type Played, play, VARIABLES } from "../shell-game/session.ts";
import { useWorker } from "../shell-game/use-answers.ts";
import { sessionFrom } from "./shell-game.tsx";

const models = exhibits.filter(({ model }) => model.name === "deltanet");

function useFollowed(played: Played, exhibit: string, silenced: readonly string[]) {
  const [said, setSaid] = useState<{ readonly about: string; readonly was: WasFollowed }>();
  const about = JSON.stringify([played.text, exhibit, silenced]);
  const ask = useWorker<Omit<ToFollow, "request">, WasFollowed>("memory.worker.js", (was) =>
    setSaid({ about, was }),
  );
  useEffect(() => {
    const { text, reveals } = played;
    ask({ exhibit, text, places: reveals.map(({ before }) => before), silenced });
  }, [about]);
  return { was: said?.was, isNew: said?.about === about };
}

export function View({ settings }: ViewProps) {
  const session = useMemo(
    () => sessionFrom({ length: "12", spacing: "2", ...settings }),
    [JSON.stringify(settings)],
  );
  const played = useMemo(() => play(session), [session]);
  const exhibit = models.find(({ id }) => id === settings.model) ?? models[0];
  const silenced = (settings.silenced ?? "").split(" ").filter((each) => /^\d\.\d$/.test(each));
  const { was, isNew } = useFollowed(played, exhibit.id, silenced);
  return (
    <>
      <p class="lead">
        Each head stores a matrix; a token multiplies it by I − βkk′ and adds βkv′. Along the key k the factor
        is 1 − β, and at −1 the reflection can swap two slots.
      </p>
      <div class="controls">
        <ModelChoice models={models} chosen={exhibit} without={["silenced", "head"]} />
        <Select
          label="Swaps"
          value={session.swaps.length}
          options={[6, 12, 24, 48]}
          onChange={(length) => setSettings({ length })}
        />
        <button type="button" onClick={() => setSettings({ seed: String(1 + (session.seed % 999)) })}>
          New session
        </button>
      </div>
      {was === undefined ? (
        <p class="muted">Reading the session …</p>
      ) : "error" in was ? (
        <p role="alert">The model failed: {was.error}. Reload the page.</p>
      ) : (
        <Stage
          played={played}
          followed={was}
          settings={settings}
          exhibit={exhibit.id}
          silenced={silenced}
          isNew={isNew}
          betaMax={Number(exhibit.model.betaMax)}
        />
      )}
      <Sources>
        <p>
          The model comes from <code>{exhibit.command}</code>, with weights rounded to 16 bits.{" "}
          <code>statelab reproduce interpret</code> ablates each head on many sessions.
        </p>
      </Sources>
    </>
  );
}

interface Line {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** Which tokens each line has. */
function linesOf(tokens: readonly string[]): Line[] {
  const lines: Line[] = [];
  let from = 0;
  for (const [i, token] of tokens.entries())
    if (token === "\n") {
      lines.push({ text: tokens.slice(from, i).join(""), from, to: i + 1 });
      from = i + 1;
    }
  return lines;
}

const isSwap = ({ text }: Line) => text.startsWith(">>>") && text.includes(", ") && text.includes(" = ");

/** The commands around a line: what is printed belongs to its `print`. */
function commandAt(lines: readonly Line[], at: number) {
  const begins = ({ text }: Line) => text.startsWith(">>>");
  const first = lines.slice(0, at + 1).findLastIndex(begins);
  const next = lines.findIndex((line, i) => i > at && begins(line));
  return { from: lines[first].from, to: lines[next < 0 ? lines.length - 1 : next - 1].to };
}

/** The variables before and after a command, as the model would answer. */
function useReadouts(texts: readonly string[], exhibit: string, silenced: readonly string[]) {
  const [said, setSaid] = useState<{ readonly texts: readonly string[]; readonly was: WasReadOut }>();
  const ask = useWorker<Omit<ToReadOut, "request">, WasReadOut>("memory.worker.js", (was) =>
    setSaid({ texts, was }),
  );
  useEffect(() => ask({ exhibit, silenced, texts }), [JSON.stringify([exhibit, silenced, texts])]);
  if (said === undefined || "error" in said.was) return [];
  return said.was.readouts.map((readout, i) => ({ ...readout, text: said.texts[i] }));
}

function Stage(props: {
  readonly played: Played;
  readonly followed: Followed;
  readonly settings: ViewProps["settings"];
  readonly exhibit: string;
  readonly silenced: readonly string[];
  readonly isNew: boolean;
  readonly betaMax: number;
}) {
  const { played, followed, settings, exhibit, silenced, isNew, betaMax } = props;
  const { tokens, heads, probabilities } = followed;
  const lines = useMemo(() => linesOf(tokens), [tokens]);
  /** By its largest beta on lines that swap: who isDifference most. */
  const reach = (track: HeadTrack) => {
    const own = lines.filter(isSwap).map(({ from, to }) => track.beta[strongest(track, from, to)]);
    return own.reduce((sum, each) => sum + each, 0) / Math.max(1, own.length);
  };
  const busiest = heads.toSorted((a, b) => reach(b) - reach(a))[0];
  const track = heads.find((each) => headName(each) === settings.head) ?? busiest;
  const firstSwap = lines.findIndex(isSwap);
  const at = whole(settings.line, 0, lines.length - 1, Math.max(0, firstSwap));
  const line = lines[at];
  const [before, after] = useMemo(
    () => [memoryAfter(track, line.from), memoryAfter(track, line.to)],
    [track, line],
  );
  const command = commandAt(lines, at);
  const texts = [command.from, command.to].map((count) => tokens.slice(0, count).join(""));
  const readouts = useReadouts(texts, exhibit, silenced);
  const most = Math.max(1e-6, ...before.flat().map(Math.abs), ...after.flat().map(Math.abs));
  const right = played.reveals.filter(({ value }, i) => {
    const shares = probabilities[i];
    return 1 + shares.indexOf(Math.max(...shares)) === value;
  }).length;
  return (
    <>
      <section aria-label="Heads">
        <ul class="legend heads">
          {heads.map((each) => {
            const name = headName(each);
            const isSilent = silenced.includes(name);
            const next = isSilent ? silenced.filter((other) => other !== name) : [...silenced, name];
            const title = `layer ${each.layer}, head ${each.head}`;
            return (
              <li key={name}>
                <button
                  type="button"
                  aria-pressed={each === track ? "true" : "false"}
                  onClick={() => setSettings({ head: name })}
                >
                  L{title.slice(1)}: β {reach(each).toFixed(2)}
                </button>{" "}
                <label>
                  <input
                    type="checkbox"
                    aria-label={`Ablate ${title}`}
                    checked={isSilent}
                    onChange={() => setSettings({ silenced: next.length > 0 ? next.join(" ") : undefined })}
                  />{" "}
                  ablate
                </label>
              </li>
            );
          })}
        </ul>
        <p role="status">
          {isNew ? (
            <>
              <strong>
                {right} of {played.reveals.length}
              </strong>{" "}
              predictions are correct
              {silenced.length === 0
                ? " with all heads."
                : ` with ${silenced.length} of ${heads.length} heads ablated.`}
            </>
          ) : (
            "Reading again …"
          )}
        </p>
      </section>
      <Transport
        {...{ at, last: lines.length - 1, unit: "line", slider: "Line" }}
        go={(to) => setSettings({ line: String(Math.min(lines.length - 1, Math.max(0, to))) })}
      >
        <output>
          line {at + 1} of {lines.length}: <code>{line.text}</code>
        </output>
      </Transport>
      <p class="muted">Orange: the probability is more than 50 percentage points away from the truth.</p>
      <div class="pair">
        {["before", "after"].map((when, i) => (
          <section class="card" key={when} aria-label={`Variables ${when} the command`}>
            <h2>Variables {when} the command, as predicted</h2>
            {readouts[i] === undefined ? (
              <p class="muted">Reading …</p>
            ) : (
              <Shares
                names={VARIABLES}
                shares={readouts[i].shares}
                exact={trueShares(played, readouts[i].text)}
                within={0.5}
              />
            )}
          </section>
        ))}
      </div>
      <Tokens {...{ track, tokens, line, betaMax }} readout={readouts[0]} />
      <details>
        <summary>Memory of this head as a matrix</summary>
        <div class="pair">
          <Matrix title="Memory before the line" cells={before} most={most} />
          <Matrix title="Memory after the line" cells={after} most={most} />
        </div>
        <p class="muted">
          Rows: key channels; columns: value channels. Blue is positive, orange negative, full color at{" "}
          {most.toFixed(2)}.
        </p>
      </details>
    </>
  );
}

/** 1 for the true value of each variable that is set in the text, else a third each. */
function trueShares({ lines, moments }: Played, text: string): number[][] {
  const read = lines.slice(0, text.split("\n").length - 1);
  const held = moments[read.at(-1)?.after ?? 0];
  return VARIABLES.map((_, i) =>
    held.map((_, value) => (i < read.length ? Number(held[i] === value + 1) : 1 / 3)),
  );
}

/** Blue above 0, orange below, as strong as it is large. */
function Matrix(props: {
  readonly title: string;
  readonly cells: readonly (readonly number[])[];
  readonly most: number;
}) {
  const { title, cells, most } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    const image = context.createImageData(cells[0].length, cells.length);
    for (const [i, row] of cells.entries())
      for (const [j, value] of row.entries()) {
        const [red, green, blue] = value < 0 ? [213, 94, 0] : [0, 114, 178];
        image.data.set(
          [red, green, blue, 255 * Math.min(1, Math.abs(value) / most)],
          4 * (i * row.length + j),
        );
      }
    context.putImageData(image, 0, 0);
  }, [cells, most]);
  return (
    <figure class="card">
      <figcaption>{title}</figcaption>
      <canvas
        ref={canvas}
        width={cells[0].length}
        height={cells.length}
        role="img"
        aria-label={`${title}: ${cells.length} rows by ${cells[0].length}, absolute values up to ${most.toFixed(2)}`}
      />
    </figure>
  );
}

function Tokens(props: {
  readonly track: HeadTrack;
  readonly tokens: readonly string[];
  readonly line: Line;
  readonly betaMax: number;
  /** Before the line. */
  readonly readout: Readout | undefined;
}) {
  const { track, tokens, line, betaMax, readout } = props;
  const at = strongest(track, line.from, line.to);
  const beta = track.beta[at];
  const cosines = (readout?.queries[headName(track)] ?? []).map((query) =>
    track.keys.map((key) => key.reduce((sum, each, j) => sum + each * query[j], 0)),
  );
  const measures: readonly (readonly [string, readonly number[]])[] = [
    ["β", track.beta],
    ["1 − β, the factor along k", track.beta.map((value) => 1 - value)],
    ...cosines.map((values, i) => [`cosine of k and the query of ${VARIABLES[i]}`, values] as const),
  ];
  const own = cosines.map((values) => values[at]);
  const [along, against] = [own.indexOf(Math.max(...own)), own.indexOf(Math.min(...own))];
  const isDifference = beta > 1.5 && own[along] > 0.3 && own[against] < -0.3;
  const shown = (token: string) => (token === "\n" ? "⏎" : token);
  const signed = (value: number) => value.toFixed(2).replace("-", "−");
  return (
    <section aria-label="Effect of each token">
      <h2>{`Effect of each token in layer ${track.layer}, head ${track.head}`}</h2>
      <Wide label="Tokens">
        <table class="tokens">
          <thead>
            <tr>
              <th scope="col">token</th>
              {measures.map(([name]) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {tokens.slice(line.from, line.to).map((token, i) => (
              <tr key={i}>
                <th scope="row">{shown(token)}</th>
                {measures.map(([name, values]) => (
                  <td key={name} class={line.from + i === at ? "chosen" : undefined}>
                    {signed(values[line.from + i])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
      <p>
        {beta > 1.5
          ? `At “${shown(tokens[at])}” the factor is ${signed(1 - beta)}: close to a reflection.`
          : beta > 1
            ? `The smallest factor is ${signed(1 - beta)}: that part of the memory changes sign and shrinks.`
            : "No factor is negative: each token keeps a part of the memory and overwrites the rest."}
        {isDifference &&
          ` Its key points along the query of ${VARIABLES[along]} and against that of ${VARIABLES[against]}.`}
        {betaMax === 1 && " In DeltaNet [0,1], no token can be a reflection."}
      </p>
    </section>
  );
}

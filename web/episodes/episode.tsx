/** @file One episode turn by turn: the cell that was run, the calls that it made with their answers, what it printed, how it ended. */

import type { ReadEpisode } from "../../src/app/agents/read.ts";
import { visibleLines } from "../../src/python/trace/escape-control.ts";
import { spaced } from "../../src/report/shares.ts";
import type { EpisodeTurn } from "../../src/schemas/agents.ts";
import { Wide } from "../parts/scroll-area.tsx";
import { useAsked } from "../parts/use-api.ts";
import { asked } from "../server.ts";

/** Of a cell, or of what it printed. */
const MOST_LINES = 200;
const MOST_CALLS = 50;

export function Episode({ folder, name }: { readonly folder: string; readonly name: string }) {
  const { said, problem } = useAsked(
    () => asked<Omit<ReadEpisode, "line">>("episode", { name: folder, episode: name }),
    name,
  );
  if (problem !== undefined) return <p role="alert">{problem}</p>;
  if (said === undefined) return <p class="muted">Reading {name} …</p>;
  const { begin, turns, end } = said;
  return (
    <section class="card" aria-label={`Episode ${name}`}>
      <h2>{name}</h2>
      <dl class="facts">
        <dt>Ended</dt>
        <dd>
          {end.over ? "the world was over" : "its turns were used up"}, after {end.turns} of at most{" "}
          {begin.turns} turns
        </dd>
        <dt>Score</dt>
        <dd>
          {Object.entries(end.score)
            .map(([what, value]) => `${spaced(what)} ${Number(value.toFixed(3))}`)
            .join(", ")}
        </dd>
        <dt>Tokens</dt>
        <dd>
          {end.tokens.replied.toLocaleString("en")} written, {end.tokens.processed.toLocaleString("en")} shown
          in all, {end.tokens.peak.toLocaleString("en")} at once
        </dd>
      </dl>
      {turns.map((turn) => (
        <Turn key={turn.turn} turn={turn} />
      ))}
    </section>
  );
}

function Turn({ turn: { turn, shown, replies, calls, refused, end } }: { readonly turn: EpisodeTurn }) {
  const cell = replies.at(-1) ?? "";
  return (
    <section aria-label={`Turn ${turn}`}>
      <h3>
        Turn {turn}{" "}
        <small class="muted">
          {shown.toLocaleString("en")} tokens shown
          {replies.length > 1 && `; ${replies.length - 1} replies before it were sent back`}
        </small>
      </h3>
      <Lines label={`Cell of turn ${turn}`} text={cell} />
      {calls.length > 0 && (
        <Wide label={`Calls of turn ${turn}`}>
          <ul class="calls">
            {calls.slice(0, MOST_CALLS).map(({ name, arguments: given, answer }, i) => (
              <li key={i}>
                <code>
                  {name}({given.map((each) => visibleLines(JSON.stringify(each))).join(", ")})
                </code>{" "}
                →{" "}
                {"error" in answer ? (
                  <span class="bad">
                    {answer.error}: {visibleLines(answer.message)}
                  </span>
                ) : (
                  <code>{visibleLines(JSON.stringify(answer.value))}</code>
                )}
              </li>
            ))}
          </ul>
        </Wide>
      )}
      {calls.length > MOST_CALLS && (
        <p class="muted">{calls.length - MOST_CALLS} more calls are in the ledger.</p>
      )}
      {refused > 0 && <p class="stale">{refused} calls beyond those of a cell were refused.</p>}
      {end.output !== "" && <Lines label={`Printed in turn ${turn}`} text={end.output} />}
      {end.end !== "finished" && (
        <p class="bad">
          {end.end === "stopped"
            ? "It was stopped: a limit was passed, or its interpreter died."
            : end.exception}
          {end.message !== "" && `: ${visibleLines(end.message)}`}
        </p>
      )}
    </section>
  );
}

function Lines({ label, text }: { readonly label: string; readonly text: string }) {
  const lines = text.replace(/\n$/, "").split("\n");
  return (
    <>
      <Wide label={label}>
        <ol class="listing wraps">
          {lines.slice(0, MOST_LINES).map((line, i) => (
            <li key={i}>
              <code>{visibleLines(line) || " "}</code>
            </li>
          ))}
        </ol>
      </Wide>
      {lines.length > MOST_LINES && (
        <p class="muted">{lines.length - MOST_LINES} more lines are in the ledger.</p>
      )}
    </>
  );
}

/** @file A trace on the stage: source, lines, frames and objects with arrows, printed output, where a value came from. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { connectArrows, drawFrames, pictureOf } from "../../src/python/debugger/viewer.mjs";
import { visibleLines } from "../../src/python/trace/terminal.ts";
import { stateLiterals } from "../../src/python/values/repr.ts";
import { setSettings } from "../address.ts";
import { Check, save, Transport, Wide } from "../parts/components.tsx";
import { type Following, isRight, nameIn, origin, out, over, overBack, readBy } from "./trace-navigation.ts";

/** Lines of the trace that are drawn around the one that is shown: a trace may have 20,000. */
const AROUND = 9;
const LONGEST = 300;

interface StageProps {
  readonly followed: Following;
  readonly at: number;
  readonly isGuessing: boolean;
}

export function Stage({ followed, at, isGuessing }: StageProps) {
  const { record, calls, changes } = followed;
  const last = record.lines.length - 1;
  const [asked, setAsked] = useState<string>();
  const [shown, setShown] = useState<ReadonlySet<number>>(new Set([0]));
  const [score, setScore] = useState({ right: 0, asked: 0 });
  const go = (to: number) => {
    setAsked(undefined);
    setSettings({ at: String(Math.min(last, Math.max(0, to))) });
  };
  const changed = changes[at].filter(({ after }) => after !== undefined);
  const isHidden = isGuessing && changed.length > 0 && !shown.has(at);
  const { line: sourceLine, code } = record.lines[at];
  return (
    <>
      <Transport
        {...{ at, last, go, unit: "line", slider: "Line of the trace" }}
        more={[
          ["Step back over", overBack(followed, at), at > 0] as const,
          ["Step over", over(followed, at), at < last] as const,
          ["Step out", out(followed, at), calls[at].length > 0] as const,
        ].map(([title, to, isPossible]) => (
          <button key={title} type="button" onClick={() => go(to)} disabled={!isPossible}>
            {title}
          </button>
        ))}
      >
        <output>
          line {at + 1} of {last + 1}
          {calls[at].length > 0 && `, in ${calls[at].join(" › ")}`}
        </output>
        <Check label="Predict first" setting="guess" value="yes" chosen={isGuessing ? "yes" : undefined} />
      </Transport>
      <div class="sides">
        <div>
          <section class="card" aria-label="Source code">
            <h2>Source code</h2>
            <Source text={record.source} at={sourceLine} />
          </section>
          <section class="card" aria-label="Variables">
            <h2>Variables after this line</h2>
            {isHidden ? (
              <Question
                key={at}
                names={changed.map(({ name }) => name)}
                literals={stateLiterals(record.lines[at].state ?? {})}
                code={code}
                onShown={(right, of) => {
                  setShown(new Set([...shown, at]));
                  setScore({ right: score.right + right, asked: score.asked + of });
                }}
              />
            ) : (
              <Frames followed={followed} at={at} ask={setAsked} />
            )}
            {score.asked > 0 && (
              <p class="muted">
                {score.right} of {score.asked} predictions are correct.
              </p>
            )}
          </section>
          {!isHidden && asked !== undefined && (
            <From followed={followed} name={asked} at={at} go={go} ask={setAsked} />
          )}
        </div>
        <div>
          <section class="card" aria-label="Unrolled lines">
            <h2>Unrolled lines</h2>
            <Ran followed={followed} at={at} go={go} />
          </section>
          {record.output && (
            <section class="card" aria-label="Output">
              <h2>Output of the whole run</h2>
              <pre class="configuration">{visibleLines(record.output)}</pre>
            </section>
          )}
        </div>
      </div>
    </>
  );
}

function Source({ text, at }: { readonly text: string; readonly at: number | null }) {
  const lines = text.trimEnd().split(/\r\n|\r|\n/);
  return (
    <Wide label="Source">
      <ol class="listing">
        {lines.map((line, i) => (
          <li
            key={i}
            class={i + 1 === at ? "now" : undefined}
            aria-current={i + 1 === at ? "step" : undefined}
          >
            <code>{visibleLines(line) || " "}</code>
          </li>
        ))}
      </ol>
    </Wide>
  );
}

function Ran({ followed, at, go }: { followed: Following; at: number; go: (to: number) => void }) {
  const { record, calls } = followed;
  const first = Math.max(0, Math.min(at - AROUND, record.lines.length - 2 * AROUND - 1));
  return (
    <ol class="program listing" start={first + 1}>
      {record.lines.slice(first, first + 2 * AROUND + 1).map(({ code, helper }, i) => {
        const line = first + i;
        const text = code.length > LONGEST ? `${code.slice(0, LONGEST)}…` : code;
        return (
          <li key={line}>
            <button
              type="button"
              aria-pressed={line === at ? "true" : "false"}
              class={helper ? "muted" : ""}
              style={{ paddingLeft: `${0.2 + Math.min(6, calls[line].length)}rem` }}
              onClick={() => go(line)}
            >
              {visibleLines(text)}
            </button>
          </li>
        );
      })}
    </ol>
  );
}

function short(literal: string): string {
  return literal.length > LONGEST ? `${literal.slice(0, LONGEST)}… (${literal.length} characters)` : literal;
}

/** The variables of the traced call, and of each call that is under way inside of it, with the objects that they refer to. */
function Frames({ followed, at, ask }: { followed: Following; at: number; ask: (name: string) => void }) {
  const stage = useRef<HTMLDivElement>(null);
  const { record, calls, changes } = followed;
  const { state } = record.lines[at];
  const gone = changes[at].filter(({ after }) => after === undefined).map(({ name }) => name);
  useLayoutEffect(() => {
    const [frames, objects, svg] = stage.current?.querySelectorAll(".frames, .objects, .arrows") ?? [];
    if (state === null || svg === undefined) return;
    const changed = new Set(changes[at].map(({ name }) => name));
    const callOf = (name: string) => calls[at].findLast((call) => name.startsWith(`${call}_`));
    const list = [undefined, ...calls[at]].map((call) => ({
      title: call ?? (record.call === "None" ? "module" : record.call),
      variables: Object.entries(state)
        .filter(([name]) => callOf(name) === call)
        .map(([name, value]) => ({ name, value, isChanged: changed.has(name) })),
    }));
    const arrows = drawFrames(list, frames, objects, (name) => {
      const button = document.createElement("button");
      button.textContent = nameIn(name, callOf(name));
      button.setAttribute("aria-label", `Origin of ${name}`);
      button.addEventListener("click", () => ask(name));
      return button;
    });
    const resized = new ResizeObserver(() => connectArrows(arrows, objects, svg));
    resized.observe(stage.current!);
    return () => resized.disconnect();
  }, [followed, at]);
  if (state === null) return <p class="muted">State omitted: the trace exceeds its size limit.</p>;
  return (
    <Wide label="Variables after this line">
      <div class="stage" ref={stage}>
        <div class="frames" />
        <div class="objects" />
        <svg class="arrows" aria-hidden="true">
          <defs>
            <marker
              id="head"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M0 0L8 4L0 8z" />
            </marker>
          </defs>
        </svg>
      </div>
      {gone.length > 0 && <p class="muted">Removed: {gone.join(", ")}.</p>}
      <p class="downloads">
        <button type="button" onClick={() => save(`line-${at + 1}.svg`, pictureOf(stage.current!))}>
          SVG
        </button>
      </p>
    </Wide>
  );
}

function From(props: {
  readonly followed: Following;
  readonly name: string;
  readonly at: number;
  readonly go: (to: number) => void;
  readonly ask: (name: string) => void;
}) {
  const { followed, name, at, go, ask } = props;
  const found = origin(followed, name, at);
  if (found === undefined) return null;
  const { code } = followed.record.lines[found.line];
  const sources = readBy(followed, found.line);
  const jump = (to: number, next: string) => {
    go(to);
    ask(next);
  };
  return (
    <section class="card" aria-label="Origin">
      <h2>Origin of {name}</h2>
      <p>
        <button type="button" onClick={() => jump(found.line, name)}>
          Line {found.line + 1}
        </button>{" "}
        <code>{visibleLines(short(code))}</code>
      </p>
      {sources.length === 0 ? (
        <p class="muted">This line reads no variable.</p>
      ) : (
        <>
          <p>It reads</p>
          <ul class="shared">
            {sources.map((each) => (
              <li key={each.name}>
                <button type="button" onClick={() => jump(each.line, each.name)}>
                  {each.name}
                </button>{" "}
                <span class="muted">set in line {each.line + 1}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** What will each variable be? Asked of those that the line changed. */
function Question(props: {
  readonly names: readonly string[];
  readonly literals: Readonly<Record<string, string>>;
  readonly code: string;
  readonly onShown: (right: number, of: number) => void;
}) {
  const { names, literals, code, onShown } = props;
  const [guesses, setGuesses] = useState<Readonly<Record<string, string>>>({});
  const [judged, setJudged] = useState(false);
  const said = names.filter((name) => (guesses[name] ?? "").trim() !== "");
  const right = said.filter((name) => isRight(guesses[name], literals[name]));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (judged || said.length === 0) onShown(right.length, said.length);
        else setJudged(true);
      }}
    >
      <p>
        Predict the values after <code>{visibleLines(short(code))}</code>
      </p>
      {names.map((name) => (
        <p key={name}>
          <label>
            <code>{name}</code> ={" "}
            <input
              class="guess"
              value={guesses[name] ?? ""}
              disabled={judged}
              autocomplete="off"
              spellcheck={false}
              onInput={({ currentTarget }) => setGuesses({ ...guesses, [name]: currentTarget.value })}
            />
          </label>{" "}
          {judged && said.includes(name) && (
            <strong class={right.includes(name) ? "good" : "bad"}>
              {right.includes(name) ? "✓ correct" : `✗ it is ${short(literals[name])}`}
            </strong>
          )}
        </p>
      ))}
      <button type="submit">{judged ? "Continue" : said.length === 0 ? "Show" : "Check"}</button>
    </form>
  );
}

/**
 * @file Trace: a Python program of the visitor's runs contained in the page; its proven trace, line by line, with frames and objects
 * after each, and where a value came from.
 *
 *     #/trace?program=def+f...&at=12&guess=yes
 */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { errorText } from "../../src/core/error.ts";
import { definedNames, findRun } from "../../src/python/trace/find-call.ts";
import { visibleLines } from "../../src/python/trace/terminal.ts";
import type { TraceRecord } from "../../src/schemas/trace.ts";
import type { ViewProps } from "../address.ts";
import { setSettings, whole } from "../address.ts";
import { Select, Sources } from "../parts/components.tsx";
import { openPython, type PagePython, RUNTIME_MEGABYTES } from "../python/contained.ts";
import type { openEditor } from "../trace/editor.ts";
import { programs } from "../trace/programs.ts";
import { following } from "../trace/trace-navigation.ts";
import { Stage } from "../trace/trace-player.tsx";

/** Longer programs do not fit into an address. */
const MOST_CHARACTERS = 4_000;
const MOST_LINES = 20_000;
const LARGEST_FILE = 50 * 2 ** 20;
const reading = () => import("../trace/read.ts");

interface Ran {
  /** The text that was traced; undefined of a file, which has its own. */
  readonly text: string;
  readonly record: TraceRecord;
}

export function View({ settings }: ViewProps) {
  const [text, setText] = useState(settings.program ?? programs[0].text);
  const input = settings.stdin ?? "";
  const [ran, setRan] = useState<Ran>();
  const [status, setStatus] = useState("");
  const [problem, setProblem] = useState("");
  const python = useRef<PagePython>(undefined);
  const host = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<ReturnType<typeof openEditor>>();
  const isBusy = status !== "";
  const { program: linked, at: place } = useRef(settings).current;

  const write = (next: string) => {
    setText(next);
    setSettings({ program: next.length <= MOST_CHARACTERS ? next : "" });
  };
  const show = (record: TraceRecord, of: string, at = "0") => {
    setRan({ text: of, record });
    setSettings({ at });
  };
  const run = async () => {
    setProblem("");
    setRan(undefined); // what is refused now leaves no verdict of what ran before
    const found = text.trim() === "" ? undefined : findRun(text);
    if (found === undefined) {
      const [name = "f"] = definedNames(text);
      setProblem(`Nothing runs. Add a last line that calls a function: ${name}(...).`);
      return;
    }
    write(text); // the address runs it again
    try {
      if (!python.current?.isOpen) {
        setStatus("Loading Python …");
        python.current = await openPython((share) =>
          setStatus(share < 1 ? `Loading Python, ${Math.round(100 * share)} % …` : "Starting Python …"),
        );
      }
      setStatus("Running: one pass to record, two to verify …");
      const options = { calls: "inline", maximumSteps: MOST_LINES };
      const stdin = input === "" ? {} : { stdin: input };
      const outcome = await python.current.run({ operation: "trace", ...found, ...stdin, options });
      if (outcome.kind === "done")
        show(
          (await reading()).readTrace(outcome.value, "the trace"),
          text,
          text === linked ? place : undefined,
        );
      else setProblem(`Stopped: ${outcome.words}.`);
    } catch (error) {
      setProblem(errorText(error));
    } finally {
      setStatus("");
    }
  };
  useEffect(() => {
    import("../trace/editor.ts")
      .then((loaded) => host.current && setEditor(loaded.openEditor(host.current, write)))
      .catch((error) => setProblem(`The editor could not be loaded (${errorText(error)}). Reload the page.`));
    if (settings.program) run(); // a link shows the trace, not the program alone
  }, []);
  useEffect(() => editor?.mark(ran?.text === text ? ran.record.syntax : undefined), [editor, ran]);
  const replace = editor?.replace ?? write;
  const stop = () => python.current?.close();
  const open = async (file: File | undefined) => {
    if (file === undefined) return;
    setProblem("");
    setRan(undefined);
    try {
      if (file.size > LARGEST_FILE) throw new Error(`${file.name}: expected at most 50 MB`);
      const record = (await reading()).readTraceFile(await file.text(), file.name);
      const call = record.call === "None" ? "" : `\n${record.call}\n`;
      const own = `${record.source.trimEnd()}\n${call}`;
      replace(own);
      setSettings({ stdin: record.stdin });
      show(record, own);
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  return (
    <>
      <p class="lead">
        Write a program. The trace unrolls its run into straight-line code, with every variable and object
        after each line.
      </p>
      <section class="card" aria-label="The program">
        <div class="editor" ref={host}>
          {text}
        </div>
        <div class="controls">
          <button type="button" disabled={isBusy} onClick={run}>
            Run and trace{" "}
          </button>
          {isBusy && python.current?.isOpen && (
            <button type="button" onClick={stop}>
              Stop
            </button>
          )}
          <Select
            label="Example"
            value=""
            options={[["", "…"], ...programs.map(({ name }, i) => [String(i), name] as const)]}
            onChange={(chosen) => chosen !== "" && replace(programs[Number(chosen)].text)}
          />
          <label>
            Standard input{" "}
            <textarea
              class="guess"
              rows={1}
              value={input}
              onInput={({ currentTarget }) => setSettings({ stdin: currentTarget.value })}
            />
          </label>
          <label>
            or open a trace file{" "}
            <input
              type="file"
              accept=".json,.jsonl"
              onChange={({ currentTarget }) => open(currentTarget.files?.[0])}
            />
          </label>
        </div>
        <p class="muted" role="status">
          {isBusy
            ? status
            : python.current?.isOpen
              ? "Python is loaded."
              : `The first run loads CPython, ${RUNTIME_MEGABYTES} MB, from this server.`}
        </p>
        {problem !== "" && <p role="alert">{problem}</p>}
      </section>
      {ran !== undefined && <Shown ran={ran} isStale={ran.text !== text} settings={settings} />}
      <Sources>
        <p>
          Verification runs the traced lines, and the program under <code>sys.settrace</code>: both must give
          the same states and the same end. Both run in a sandboxed frame without network.
        </p>
        <p>
          <code>statelab trace FILE --json &gt; trace.json</code> writes a trace file that opens here.
        </p>
      </Sources>
    </>
  );
}

function Shown({ ran, isStale, settings }: { ran: Ran; isStale: boolean; settings: ViewProps["settings"] }) {
  const { record } = ran;
  const followed = useMemo(() => following(record), [record]);
  const lines = record.lines.length;
  const { python, environment = {} } = record;
  const read = Object.keys(environment);
  return (
    <section aria-label="The trace">
      {isStale ? (
        <p class="stale" role="status">
          The program has changed; this trace belongs to the text before.
        </p>
      ) : record.proven ? (
        <p>
          <strong>Verified by execution</strong> on CPython {python.version} ({python.wordBits} bit)
          {read.length > 0 && `, for the environment that it read: ${read.join(", ")}`}.
          {record.reason !== null && ` ${visibleLines(record.reason)}.`}
        </p>
      ) : (
        <p role="alert">
          <strong>{lines === 0 ? "No trace" : "Not verified"}:</strong>{" "}
          {visibleLines(record.reason ?? "no reason given")}.
        </p>
      )}
      {lines > 0 && (
        <Stage
          followed={followed}
          at={whole(settings.at, 0, lines - 1, 0)}
          isGuessing={settings.guess === "yes"}
          key={record.code}
        />
      )}
    </section>
  );
}

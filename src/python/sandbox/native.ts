/**
 * @file The native host: the system's CPython inside bubblewrap, one process a request. Linux only.
 *
 * Bubblewrap takes away network, files, other processes and the environment; native-child.py, inside, limits memory,
 * processor time, file size and the number of processes before it takes up the program.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { LabError } from "../../core/error.ts";
import { held, slots } from "../../core/semaphore.ts";
import { asNobody, type Bubblewrap, findBubblewrap } from "./bubblewrap.ts";
import {
  type Limits,
  type Outcome,
  type PythonHost,
  type PythonRequest,
  type PythonSession,
  requestText,
  resolveLimits,
  type Stop,
} from "./host.ts";
import { type Command, type Contained, contain, type Watch } from "./sandboxed-process.ts";
import { startSession } from "./session.ts";
import { closedCallSignal } from "./system-calls.ts";
import { labSources } from "./tracer-sources.ts";
import { hearAnswer, readReply } from "./verdict.ts";

export interface NativeOptions {
  /** Run without any sandbox: for code that you would run yourself. */
  readonly trusted?: boolean;
  /** The interpreter; by default the system's, else the first in PATH. */
  readonly python?: string;
  /** Programs that run at the same time; by default one for each processor. */
  readonly atMost?: number;
  readonly limits?: Partial<Limits>;
}

const startSeconds = 20;
/** Includes threads; two are ours. */
const processes = 32;
const fileBytes = 16 * 2 ** 20;
const temporaryBytes = 32 * 2 ** 20;
/** For sessions: the kernel sums processor time over all cells. */
const mostCells = 100;

export type NativeFound =
  | {
      readonly kind: "found";
      readonly python: string;
      readonly prefix: string;
      readonly bubblewrap: Bubblewrap | undefined;
    }
  | { readonly kind: "missing"; readonly reason: string };

/** The Python and sandbox for a native host, or why there is none. */
export function findNative({ trusted = false, python: wanted }: NativeOptions = {}): NativeFound {
  const found = findBubblewrap();
  if (found.kind === "missing" && !trusted) return found;
  const bubblewrap = found.kind === "found" && !trusted ? found.bubblewrap : undefined;
  const python = wanted ?? (existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3");
  const ask = "import sys; print(sys.version_info >= (3, 11)); print(sys.executable); print(sys.base_prefix)";
  try {
    const [recent, executable, prefix] = execFileSync(python, ["-I", "-c", ask], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).split("\n");
    if (recent !== "True") return { kind: "missing", reason: `${python} is older than Python 3.11` };
    return { kind: "found", python: executable, prefix, bubblewrap };
  } catch {
    return { kind: "missing", reason: `${python} cannot be run` };
  }
}

export async function nativeHost(options: NativeOptions = {}): Promise<PythonHost> {
  const found = findNative(options);
  const slot = slots(options.atMost ?? availableParallelism());
  const alive = new Set<Contained>();
  let closed = false;
  const child = readFileSync(new URL("native-child.py", import.meta.url), "utf8");
  const { importer, modules: sources } = labSources();
  const modules = found.kind === "found" ? compiled(found.python, sources) : {};

  const sandboxed = found.kind === "found" && found.bubblewrap !== undefined;
  const hello = ({ nonce }: Contained, limits: Limits) => ({
    ...{ nonce, importer, modules, ...limits, processes, fileBytes, sandboxed },
  });

  const run = async (request: PythonRequest, limits: Limits, signal?: AbortSignal): Promise<Outcome> => {
    const { text, judged } = requestText(request);
    if (closed) return { kind: "sandbox", words: "the host is closed" };
    if (found.kind === "missing") return { kind: "sandbox", words: found.reason };
    // A private folder for the program's file if there is no sandbox to provide one.
    const cwd = found.bubblewrap ? undefined : mkdtempSync(join(tmpdir(), "statelab-python-"));
    const python = contain({ ...commandOf(found, child), ...(cwd !== undefined && { cwd }) });
    alive.add(python);
    try {
      const requestBytes = 2 * text.length + 2 ** 20;
      python.send({ ...hello(python, limits), judged, requestBytes, session: false, cells: 1 });
      return await outcomeOf(python, text, limits, signal);
    } finally {
      python.kill();
      await python.gone;
      alive.delete(python);
      if (cwd !== undefined) rmSync(cwd, { recursive: true, force: true });
    }
  };

  const lease = async (limits: Limits, ended: () => void, signal?: AbortSignal): Promise<PythonSession> => {
    if (closed) throw new LabError("sandbox: the host is closed", "noSandbox");
    if (found.kind === "missing") throw new LabError(`sandbox: ${found.reason}`, "noSandbox");
    const python = contain(commandOf(found, child));
    alive.add(python);
    const release = async () => {
      python.kill();
      await python.gone;
      alive.delete(python);
      ended();
    };
    try {
      python.send({
        ...hello(python, limits),
        judged: false,
        requestBytes: 0,
        session: true,
        cells: mostCells,
      });
      const problem = await beginning(python, limits, signal);
      if (problem !== undefined) throw new LabError(`sandbox: ${problem.words}`, "noSandbox");
    } catch (error) {
      await release();
      throw error;
    }
    return startSession({
      ...{ child: python, host: "native", ownBytes: 0, limits, release },
      send: (text) => python.send(text),
    });
  };

  return {
    name: "native",
    containment:
      found.kind === "missing"
        ? `none: ${found.reason}`
        : found.bubblewrap === undefined
          ? "none: trusted code only"
          : `CPython inside bubblewrap ${found.bubblewrap.version}`,
    run: (request, limits = {}, signal) =>
      slot(() => run(request, resolveLimits(options.limits, limits), signal), signal),
    session: (limits = {}, signal) =>
      held(slot, (ended) => lease(resolveLimits(options.limits, limits), ended, signal), signal),
    async ready() {},
    async close() {
      closed = true;
      for (const python of alive) python.kill();
      await Promise.all([...alive].map((python) => python.gone));
    },
  };
}

/** The tracer compiled for one Python version: compiling takes longer than tracing a short program. */
function compiled(
  python: string,
  sources: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const program = [
    "import base64, json, marshal, sys",
    "def code(name, text):",
    "    return marshal.dumps(compile(text, f'<lab>/{name}.py', 'exec', dont_inherit=True))",
    "sources = json.load(sys.stdin)",
    "print(json.dumps({name: base64.b64encode(code(name, text)).decode() for name, text in sources.items()}))",
  ].join("\n");
  const input = JSON.stringify(sources);
  return JSON.parse(
    execFileSync(python, ["-I", "-c", program], { input, encoding: "utf8", maxBuffer: 2 ** 24 }),
  );
}

function commandOf(
  { python, prefix, bubblewrap }: Extract<NativeFound, { kind: "found" }>,
  child: string,
): Command {
  const command: Command = {
    file: python,
    args: ["-s", "-P", "-B", "-c", child], // not -I, which would ignore PYTHONHASHSEED
    environment: { PATH: "/usr/bin:/bin", LANG: "C.UTF-8", HOME: "/tmp", PYTHONHASHSEED: "0" },
    ...(bubblewrap !== undefined && asNobody()),
  };
  return bubblewrap?.wrap(command, { readable: [prefix], temporaryBytes, filtered: true }) ?? command;
}

const startWatch = (limits: Limits): Watch => ({
  wallSeconds: startSeconds,
  residentBytes: limits.memoryBytes,
  outputBytes: limits.outputBytes,
  frameBytes: limits.resultBytes + 2 ** 16,
});

/** The outcome of a child that failed to start; undefined if it started. */
async function beginning(
  python: Contained,
  limits: Limits,
  signal?: AbortSignal,
): Promise<{ readonly kind: Stop | "sandbox"; readonly words: string } | undefined> {
  const started = await python.hear(startWatch(limits), signal);
  // It began and was stopped before its first frame was looked at.
  if (started.kind === "stopped" && started.framesBefore > 0)
    return { kind: started.stop, words: started.words };
  if (started.kind !== "frame" || started.frame.kind !== "started") {
    python.kill();
    await python.gone;
    return { kind: "sandbox", words: `the sandbox could not be made: ${python.lastWords() || started.kind}` };
  }
  return undefined;
}

async function outcomeOf(
  python: Contained,
  text: string,
  limits: Limits,
  signal?: AbortSignal,
): Promise<Outcome> {
  const problem = await beginning(python, limits, signal);
  if (problem !== undefined) return problem;
  python.send(text);
  const watch = { ...startWatch(limits), wallSeconds: limits.wallSeconds };
  const { heard, plan } = await hearAnswer(python, watch, signal);
  switch (heard.kind) {
    case "frame":
      python.kill();
      await python.gone; // then all that it printed is here
      return readReply({ body: heard.frame.body, plan, host: "native", output: python.takeOutput() });
    case "stopped":
      return { kind: heard.stop, words: heard.words };
    case "ended":
      if (heard.code === 128 + closedCallSignal)
        return { kind: "crashed", words: "the program made a system call that is closed to programs" };
      return heard.killedBy === null && (heard.code ?? 0) < 128
        ? { kind: "exited", words: `the program ended the interpreter with exit code ${heard.code}` }
        : {
            kind: "crashed",
            words: `the interpreter died: ${python.lastWords() || heard.killedBy || heard.code}`,
          };
    default:
      return heard satisfies never;
  }
}

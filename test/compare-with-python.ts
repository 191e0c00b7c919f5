/**
 * @file Compares proven traces with plain Python: every program of a folder runs as `python3 FILE` and under both hosts.
 *
 *     node --import tsx test/compare-with-python.ts FOLDER [--python embedded|native]
 *
 * The first lines of a program say what is called, and what a trace may do about it:
 *
 *     # call: f(1, 2)
 *     # expect: proven                    proven and equal under both hosts; `proven alone`: and independent of its environment;
 *                                         `proven runs`: and `python3` runs the trace, whose claim is true of the program
 *     # expect: refused ctypes            refused; the reason contains the word
 *     # expect embedded: told libm        proven, and `environment.libm` is there: the value may differ;
 *                                         `told seed=0 gives True`: with this value there, and this result
 *     # python 3.14: (1, 2)               what CPython 3.14 gives, where 3.11 gives something else; `raises KeyError: 1`
 *
 * Without an expectation, a refusal is fine, and so is a difference with an `environment`; a proven result that differs
 * without one is a false proof. Exit code 1 where there is any, or an expectation that does not hold.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { slots } from "../src/core/semaphore.ts";
import { type HostName, hostNames, type PythonHost } from "../src/python/sandbox/host.ts";
import { openHost, severally } from "../src/python/sandbox/open.ts";
import { parseTrace, type TraceRecord } from "../src/schemas/trace.ts";

export interface Program {
  readonly name: string;
  readonly source: string;
  readonly call: string;
  readonly expected: Partial<Record<HostName, string>>;
  /** How it ends under CPython 3.14, where that is another. */
  readonly newer: Ending | undefined;
}

/** How a call ends: the result's repr, or the exception's type and message as the last line of a traceback. */
export interface Ending {
  readonly result?: string;
  readonly exception?: string;
}

export type Verdict = "equal" | "named" | "refused" | "different" | "unexpected";

export interface Comparison {
  readonly program: string;
  readonly host: HostName;
  readonly verdict: Verdict;
  readonly words: string;
}

const python = "/usr/bin/python3";

/** Every `.py` file of a folder that has a call, by name, and every program of its `.txt` files: each begins with a line `### name`. */
export function readPrograms(folder: string): Program[] {
  return readdirSync(folder)
    .sort()
    .flatMap((file) => {
      if (!/\.(py|txt)$/.test(file)) return [];
      const text = readFileSync(join(folder, file), "utf8");
      if (file.endsWith(".py")) return readProgram(file, text);
      return text
        .split(/^### /m)
        .slice(1)
        .flatMap((part) =>
          readProgram(part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1)),
        );
    });
}

function readProgram(name: string, source: string): Program[] {
  const header = new Map(
    [...source.matchAll(/^# (call|expect|expect embedded|expect native|python 3\.14): (.*)$/gm)].map(
      ([, key, value]) => [key, value.trim()],
    ),
  );
  const call = header.get("call");
  if (call === undefined) return [];
  const expected = Object.fromEntries(
    hostNames.flatMap((host) => {
      const words = header.get(`expect ${host}`) ?? header.get("expect");
      return words === undefined ? [] : [[host, words]];
    }),
  );
  return [{ name, source, call, expected, newer: endingIn(header.get("python 3.14")) }];
}

function endingIn(words: string | undefined): Ending | undefined {
  if (words === undefined) return undefined;
  return words.startsWith("raises ") ? { exception: words.slice("raises ".length) } : { result: words };
}

interface Ran {
  readonly status: number | null;
  /** What it wrote to its descriptors 1, 2 and 3. */
  readonly written: readonly string[];
}

async function run(args: readonly string[], cwd: string, input?: string): Promise<Ran> {
  const child = spawn(python, args, {
    ...{ cwd, timeout: 60_000 },
    env: { PATH: "/usr/bin:/bin", HOME: cwd, PYTHONHASHSEED: "0", LANG: "C.UTF-8" },
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe", "pipe"],
  });
  child.stdin?.end(input);
  const streams = child.stdio.slice(1) as Readable[]; // pipes, as asked for
  const written = streams.map(async (stream) => {
    let text = "";
    for await (const piece of stream.setEncoding("utf8")) text += piece;
    return text;
  });
  const [status] = await once(child, "close");
  return { status, written: await Promise.all(written) };
}

const slot = slots(availableParallelism());
const plainEndings = new Map<Program, Promise<Ending>>();

/** The result of `python3 main.py`: the program as it is, with the call in an added last line. Run once for both hosts. */
function runPlain(program: Program): Promise<Ending> {
  const known = plainEndings.get(program) ?? slot(() => runFile(program));
  plainEndings.set(program, known);
  return known;
}

async function runFile({ source, call }: Program): Promise<Ending> {
  const folder = mkdtempSync(join(tmpdir(), "plain-"));
  try {
    const home = join(folder, "work");
    mkdirSync(home);
    // Python refuses the decimal digits of very large integers: a trace has them as hexadecimal ones.
    const text = "hex(value) if type(value) is int and value.bit_length() >= 14_000 else repr(value)";
    const last = `(lambda value: __import__("os").write(3, (${text}).encode("utf-8", "surrogatepass")))(${call})`;
    writeFileSync(join(home, "main.py"), `${source.replace(/\n*$/, "\n")}${last}\n`);
    const { status, written } = await run(["main.py"], home);
    const [, errors, result] = written;
    if (status === 0 && result) return { result };
    if (!errors.includes("Traceback")) return { exception: "SystemExit" };
    const lines = errors.trimEnd().split("\n");
    return { exception: lines.findLast((line) => /^[\w.]+(?:: |$)/.test(line)) ?? `exit ${status}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a trace, and prints what its claim says of the result and what the program itself gives. */
const witness = `
import ast, json, sys, types
sys.set_int_max_str_digits(0)
ways = {"repr": "repr({})", "fields": "vars({})", "each": "[vars(x) for x in {}]", "list": "list({})", "name": "({}).__name__"}
def run(text):
    module = sys.modules["program"] = types.ModuleType("program")
    exec(text, vars(module))
    return vars(module)
given = json.load(sys.stdin)
run(given["code"])
claim = ast.parse(given["code"]).body[-1].test
own = eval(ways.get(given["way"], "({})").format(given["call"]), run(given["source"]))
right = eval(ast.unparse(claim.comparators[0]))
sys.exit(None if own == right else f"the trace says {right!r}, the program {own!r}")
`;

/** What is wrong with the text of a proven trace. */
async function problemOfText({ source, call }: Program, { code, compared }: TraceRecord) {
  const input = JSON.stringify({ code, source, call, way: compared ?? null });
  const { status, written } = await run(["-c", witness], tmpdir(), input);
  return status === 0 ? undefined : written[1];
}

/** What the text of each call became; a limit that was met counts as a refusal, whose words these are. */
type Traced = TraceRecord | string;

/** Programs that one native interpreter traces, each in a copy of it that no other has touched; it takes longer to start than they run. */
const together = { native: 8, embedded: 1 };

/** The traces of the calls, in their order. */
async function tracesOf(
  host: PythonHost,
  asked: readonly Pick<Program, "source" | "call">[],
): Promise<Traced[]> {
  const size = together[host.name];
  const groups = Array.from({ length: Math.ceil(asked.length / size) }, async (_, i) => {
    const group = asked.slice(i * size, (i + 1) * size);
    const requests = group.map(({ source, call }) => ({ operation: "trace", source, call, options: {} }));
    const answers = await severally(host, requests, { wallSeconds: 60 });
    return answers.map((each) => ("stopped" in each ? each.stopped : parseTrace(each.value, "lab.trace")));
  });
  return (await Promise.all(groups)).flat();
}

/** A program under one host. `shown`: the trace of the result's repr, where that is asked for. */
interface Case {
  readonly program: Program;
  readonly plain: Ending;
  readonly record: Traced;
  readonly shown?: Traced | undefined;
}

const exceptionOf = ({ reason }: TraceRecord) =>
  /^the call raises ([\w.]+)(?:, line \d+)?: ?(.*)$/s.exec(reason ?? "")?.slice(1);

const isProven = (record: Traced | undefined): record is TraceRecord & { readonly proven: true } =>
  typeof record === "object" && record.proven;

/** Whether it matters how the call ends, and the record's own text does not settle it. */
const needsRepr = ({ record, plain, program }: Case, host: HostName) =>
  isProven(record) &&
  exceptionOf(record) === undefined &&
  record.literal !== (plain.result ?? "") &&
  !/^(told|refused)/.test(program.expected[host] ?? "");

/** How the proven call ends, as its record says. */
async function endingOf({ plain, shown }: Case, record: TraceRecord): Promise<Ending> {
  const raised = exceptionOf(record);
  if (raised !== undefined) return { exception: raised.filter((part) => part !== "").join(": ") };
  if (!isProven(shown) || shown.literal === null) return { result: plain.result ?? "" }; // nothing more is claimed
  const { written } = await run(["-c", `import sys; sys.stdout.write(${shown.literal})`], tmpdir());
  return { result: written[0] };
}

const same = (ending: Ending, plain: Ending) =>
  ending.result === plain.result &&
  (ending.exception === plain.exception ||
    // a traceback names the module of a class; its message may have several lines
    plain.exception?.split(": ")[0].split(".").at(-1) === ending.exception?.split(": ")[0]);

/** `seed=0, clock gives True`: these keys of the environment, these values, this result. */
function isTold({ environment = {}, literal }: TraceRecord, words: string): boolean {
  const [keys, result] = words.split(" gives ");
  const known = Object.entries(environment).map(([key, value]) => [key, `${key}=${JSON.stringify(value)}`]);
  const told = keys.split(/, (?=\w+(?:=|$))/).every((key) => known.some((forms) => forms.includes(key)));
  return told && (result === undefined || result === literal);
}

async function compare(host: HostName, each: Case): Promise<Comparison> {
  const { program, plain, record } = each;
  const judge = (verdict: Verdict, words: string) => ({ program: program.name, host, verdict, words });
  const [kind, ...rest] = (program.expected[host] ?? "").split(" ");
  const word = rest.join(" ");
  if (!isProven(record)) {
    const reason = typeof record === "string" ? record : (record.reason ?? "");
    const claims = typeof record !== "string" && record.lines.some(({ role }) => role === "assert");
    const isExpected = !claims && (kind === "" || (kind === "refused" && reason.includes(word)));
    return judge(isExpected ? "refused" : "unexpected", `refused: ${reason}`);
  }
  const environment = record.environment ?? {};
  if (kind === "told" && isTold(record, word)) return judge("named", JSON.stringify(environment));
  const ending = await endingOf(each, record);
  const words = `proven ${JSON.stringify(ending)}, python3 ${JSON.stringify(plain)}, environment ${JSON.stringify(environment)}`;
  const alone = Object.keys(environment).every((key) => ["variables", "processes"].includes(key));
  if (kind === "refused" || kind === "told" || (word === "alone" && !alone))
    return judge("unexpected", words);
  const problem = word === "runs" ? await problemOfText(program, record) : undefined;
  if (problem !== undefined) return judge("different", problem);
  if (same(ending, plain)) return judge("equal", words);
  if (kind === "proven" || Object.keys(environment).length === 0) return judge("different", words);
  return judge("named", words);
}

/** All programs under one host. */
export async function comparePrograms(programs: readonly Program[], name: HostName): Promise<Comparison[]> {
  const host = await openHost(name);
  try {
    const [endings, records] = await Promise.all([
      Promise.all(programs.map(runPlain)),
      tracesOf(host, programs),
    ]);
    const cases = programs.map((program, i): Case => {
      const plain = name === "embedded" ? (program.newer ?? endings[i]) : endings[i];
      return { program, plain, record: records[i] };
    });
    const asked = cases.filter((each) => needsRepr(each, name));
    const reprs = asked.map(({ program }) => ({ ...program, call: `repr(${program.call})` }));
    const shown = await tracesOf(host, reprs);
    return await Promise.all(
      cases.map((each) => compare(name, { ...each, shown: shown[asked.indexOf(each)] })),
    );
  } finally {
    await host.close();
  }
}

/** Those that are false proofs, or not as expected. */
export const wrongOf = (found: readonly Comparison[]): Comparison[] =>
  found.filter(({ verdict }) => verdict === "different" || verdict === "unexpected");

async function main(args: readonly string[]) {
  const at = args.indexOf("--python");
  const hosts = at < 0 ? hostNames : [args[at + 1] as HostName];
  const [folder] = args;
  if (folder === undefined || hosts.some((host) => !hostNames.includes(host))) {
    console.error("usage: node --import tsx test/compare-with-python.ts FOLDER [--python embedded|native]");
    process.exitCode = 2;
    return;
  }
  for (const name of hosts) {
    const found = await comparePrograms(readPrograms(folder), name);
    const count = (verdict: Verdict) => found.filter((each) => each.verdict === verdict).length;
    for (const { program, verdict, words } of found)
      if (verdict !== "equal") console.log(`${name}  ${verdict}  ${program}: ${words}`);
    console.log(
      `${name}: ${found.length} programs: ${count("equal")} equal, ${count("named")} with another value that environment names, ` +
        `${count("refused")} refused, ${count("different")} false proofs, ${count("unexpected")} unexpected`,
    );
    if (wrongOf(found).length > 0) process.exitCode = 1;
  }
}

if (process.argv[1] !== undefined && basename(process.argv[1]) === basename(fileURLToPath(import.meta.url)))
  await main(process.argv.slice(2));

/**
 * @file Compares proven traces with plain Python: every program of a folder runs as `python3 FILE` and under both hosts.
 *
 *     node --import tsx test/compare-with-python.ts FOLDER [--host embedded|native]
 *
 * The first lines of a program say what is called, and what a trace may do about it:
 *
 *     # call: f(1, 2)
 *     # expect: proven                    proven and equal under both hosts
 *     # expect: refused ctypes            refused; the reason contains the word
 *     # expect embedded: told libm        proven, and `environment.libm` is there: the value may differ
 *     # python 3.14: (1, 2)               what CPython 3.14 gives, where 3.11 gives something else; `raises KeyError: 1`
 *
 * Without an expectation, a refusal is fine, and so is a difference with an `environment`; a proven result that differs
 * without one is a false proof. Exit code 1 where there is any, or an expectation that does not hold.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type HostName, hostNames, type PythonHost } from "../src/python/sandbox/host.ts";
import { openHost } from "../src/python/sandbox/open.ts";
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

/** The result of `python3 main.py`: the program as it is, with the call in an added last line. */
export function runPlain({ source, call }: Program): Ending {
  const folder = mkdtempSync(join(tmpdir(), "plain-"));
  try {
    const home = join(folder, "work");
    mkdirSync(home);
    const file = join(home, "main.py");
    const last = `__import__("os").write(3, repr(${call}).encode("utf-8", "surrogatepass"))`;
    writeFileSync(file, `${source.replace(/\n*$/, "\n")}${last}\n`);
    const run = spawnSync(python, ["main.py"], {
      cwd: home,
      env: { PATH: "/usr/bin:/bin", HOME: home, PYTHONHASHSEED: "0", LANG: "C.UTF-8" },
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      encoding: "utf8",
      timeout: 60_000,
    });
    const result = run.output[3];
    if (run.status === 0 && result) return { result };
    const lines = (run.stderr ?? "").trimEnd().split("\n");
    if (!run.stderr?.includes("Traceback")) return { exception: "SystemExit" };
    return { exception: lines.findLast((line) => /^[\w.]+(?:: |$)/.test(line)) ?? `exit ${run.status}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A trace of the call; a limit that was met counts as a refusal. */
async function trace(host: PythonHost, { source }: Program, call: string): Promise<TraceRecord | string> {
  const outcome = await host.run({ operation: "trace", source, call, options: {} }, { wallSeconds: 30 });
  return outcome.kind === "done" ? parseTrace(outcome.value, "lab.trace") : outcome.words;
}

/** How the proven call ends, as its record says. A result without a literal is asked for by its repr. */
async function endingOf(
  host: PythonHost,
  program: Program,
  record: TraceRecord,
  wanted: string,
): Promise<Ending> {
  const raised = /^the call raises ([\w.]+)(?:, line \d+)?: ?(.*)$/s.exec(record.reason ?? "");
  if (raised !== null) return { exception: raised[2] === "" ? raised[1] : `${raised[1]}: ${raised[2]}` };
  if (record.literal === wanted) return { result: wanted };
  const shown = await trace(host, program, `repr(${program.call})`);
  if (typeof shown === "string" || !shown.proven || shown.literal === null) return { result: wanted }; // nothing more is claimed
  const read = spawnSync(python, ["-c", `import sys; sys.stdout.write(${shown.literal})`], {
    encoding: "utf8",
  });
  return { result: read.stdout };
}

const same = (ending: Ending, plain: Ending) =>
  ending.result === plain.result &&
  (ending.exception === plain.exception ||
    // a traceback names the module of a class; its message may have several lines
    plain.exception?.split(": ")[0].split(".").at(-1) === ending.exception?.split(": ")[0]);

/** One program under one host. */
export async function compareProgram(host: PythonHost, program: Program): Promise<Comparison> {
  const old = runPlain(program);
  const plain = host.name === "embedded" ? (program.newer ?? old) : old;
  const judge = (verdict: Verdict, words: string): Comparison => ({
    program: program.name,
    host: host.name,
    verdict,
    words,
  });
  const [kind, ...rest] = (program.expected[host.name] ?? "").split(" ");
  const word = rest.join(" ");
  const record = await trace(host, program, program.call);
  if (typeof record === "string" || !record.proven) {
    const reason = typeof record === "string" ? record : (record.reason ?? "");
    const isExpected = kind === "" || (kind === "refused" && reason.includes(word));
    return judge(isExpected ? "refused" : "unexpected", `refused: ${reason}`);
  }
  const environment = record.environment ?? {};
  if (kind === "told" && word in environment) return judge("named", JSON.stringify(environment));
  const ending = await endingOf(host, program, record, plain.result ?? "");
  const words = `proven ${JSON.stringify(ending)}, python3 ${JSON.stringify(plain)}, environment ${JSON.stringify(environment)}`;
  if (kind === "refused" || kind === "told") return judge("unexpected", words);
  if (same(ending, plain)) return judge("equal", words);
  if (kind === "proven" || Object.keys(environment).length === 0) return judge("different", words);
  return judge("named", words);
}

/** All programs of a folder under one host. */
export async function compareFolder(folder: string, name: HostName): Promise<Comparison[]> {
  const host = await openHost(name);
  try {
    const found: Comparison[] = [];
    for (const program of readPrograms(folder)) found.push(await compareProgram(host, program));
    return found;
  } finally {
    await host.close();
  }
}

async function main(args: readonly string[]) {
  const at = args.indexOf("--host");
  const hosts = at < 0 ? hostNames : [args[at + 1] as HostName];
  const [folder] = args;
  if (folder === undefined || hosts.some((host) => !hostNames.includes(host))) {
    console.error("usage: node --import tsx test/compare-with-python.ts FOLDER [--host embedded|native]");
    process.exitCode = 2;
    return;
  }
  for (const name of hosts) {
    const found = await compareFolder(folder, name);
    const count = (verdict: Verdict) => found.filter((each) => each.verdict === verdict).length;
    for (const { program, verdict, words } of found)
      if (verdict !== "equal") console.log(`${name}  ${verdict}  ${program}: ${words}`);
    console.log(
      `${name}: ${found.length} programs: ${count("equal")} equal, ${count("named")} with another value that environment names, ` +
        `${count("refused")} refused, ${count("different")} false proofs, ${count("unexpected")} unexpected`,
    );
    if (count("different") + count("unexpected") > 0) process.exitCode = 1;
  }
}

if (process.argv[1] !== undefined && basename(process.argv[1]) === basename(fileURLToPath(import.meta.url)))
  await main(process.argv.slice(2));

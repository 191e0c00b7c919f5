/** @file statelab data: published benchmarks of Python functions: get them, import a copy, trace all their calls, put faults into them. */

import { join } from "node:path";
import { benchmarkFile, getBenchmark, importBenchmark, openBenchmark } from "../app/data/benchmark.ts";
import { type Injected, injectFaults, openFaultLog } from "../app/data/faults.ts";
import { openFunctions } from "../app/data/functions.ts";
import { type TraceBenchmarkOptions, type TracedBenchmark, traceBenchmark } from "../app/trace/benchmark.ts";
import { traceOn } from "../app/trace/sharded.ts";
import { parseChoice } from "../core/did-you-mean.ts";
import { fail } from "../core/error.ts";
import { duration, formatCount, shellWord } from "../core/format.ts";
import { type Benchmark, benchmarkNames, benchmarks } from "../python/benchmarks/index.ts";
import { withHost } from "../python/sandbox/open.ts";
import { visible } from "../python/trace/terminal.ts";
import { makeFolder, writeFileAtomic } from "../storage/index.ts";
import { labVersion } from "../storage/version.ts";
import { defineCommand } from "./lib/command.ts";
import { engineFlagNames, engineOptions, shareOption, standOf } from "./lib/executor.ts";
import { flag, group, hostOptions, naturalSeedOption } from "./lib/flags.ts";
import { progressOn } from "./lib/progress.ts";

export const command = defineCommand({
  name: "data",
  summary: "download and trace CRUXEval and MBPP, insert faults",
  usage: "data get|import|trace|faults BENCHMARK [OPTIONS]",
  locks: true,
  positionals: { least: 1, most: 3 },
  options: {
    ...group("Programs", {
      functions: flag.text("DIR|FILE", "your own functions, instead of BENCHMARK"),
      license: flag.text("NAME", "license of your functions", { default: "other" }),
      split: flag.text("NAME", "test, or all of mbpp [test]"),
      filter: flag.choice("FILTER", "none or published (at most 50 steps)", ["none", "published"], {
        default: "none",
      }),
      programs: flag.integer("N", "use the first N programs of the split [all]", { least: 1 }),
    }),
    ...group("Traces", {
      calls: flag.choice("HOW", "inline or keep calls of the program's functions", ["inline", "keep"], {
        default: "inline",
      }),
      anonymous: flag.toggle("rename functions to f, g, h"),
      "max-steps": flag.integer("N", "maximum lines per call", { default: 100000, least: 1 }),
    }),
    ...group("Faults", {
      "max-per-program": flag.integer("N", "maximum faults per program", { default: 5, least: 1 }),
      seed: naturalSeedOption,
    }),
    ...group("Files", {
      data: flag.text("DIR", "folder of benchmarks; also STATELAB_DATA", { default: "data" }),
      out: flag.text("PATH", "output [data/BENCHMARK-traces, data/BENCHMARK-faults.jsonl]"),
      url: flag.text("URL", "download from here [the published address]"),
    }),
    ...group("Sandbox", {
      workers: flag.integer("N", "parallel interpreters", { default: 2, least: 1 }),
    }),
    ...hostOptions,
    ...shareOption(200, "calls"),
    ...engineOptions,
  },
  actions: {
    get: {
      summary: "download a benchmark and check its checksum",
      usage: "data get BENCHMARK [OPTIONS]",
      flags: ["data", "url"],
      notes: "BENCHMARK is cruxeval or mbpp.\nMore: docs/how-to/import-benchmarks.md",
      examples: ["data get cruxeval", "data get mbpp --data ~/benchmarks"],
    },
    import: {
      summary: "import a downloaded copy and check its checksum",
      usage: "data import BENCHMARK FILE [OPTIONS]",
      flags: ["data"],
      notes: "BENCHMARK is cruxeval or mbpp.\nMore: docs/how-to/import-benchmarks.md",
      examples: ["data import cruxeval ~/Downloads/cruxeval.jsonl"],
    },
    trace: {
      summary: "trace all calls of a benchmark or of your functions",
      usage: "data trace BENCHMARK [OPTIONS], or data trace --functions DIR|FILE [OPTIONS]",
      flags: [
        ...(["functions", "license", "split", "filter", "calls", "anonymous"] as const),
        ...(["max-steps", "data", "out", "workers", "python", "timeout", "shard-size"] as const),
        ...engineFlagNames,
      ],
      notes:
        "Functions are Python files, or JSON rows in the layout of HumanEval, LiveCodeBench, REval or ClassEval. Their calls come from the rows, doctests and asserts. Programs run in a sandbox.\n" +
        "Writes traces.jsonl, traces.parquet, coverage.json (with the reason for each omitted call) and README.md. Run the same command again to continue.\n" +
        "More: docs/how-to/import-benchmarks.md",
      examples: [
        "data trace cruxeval --out data/cruxeval-traces",
        "data trace mbpp --split all --filter published --json",
        "data trace --functions src/ --out data/own-traces",
      ],
    },
    faults: {
      summary: "insert faults that tests detect",
      usage: "data faults BENCHMARK [OPTIONS], or data faults --functions DIR|FILE [OPTIONS]",
      flags: [
        ...(["functions", "license", "split", "programs", "max-per-program", "seed"] as const),
        ...(["data", "out", "workers", "python", "timeout"] as const),
      ],
      notes:
        "A fault is an off-by-one, a wrong operator, comparison, variable, constant or index, swapped operands, a negated condition, or a missing update or call. It is kept if a test then ends differently. Programs run in a sandbox.\n" +
        "Writes one JSON object per fault: both programs, line and block of the fault, each test's outcome and the first difference. Run the same command again to continue.\n" +
        "More: docs/how-to/import-benchmarks.md",
      examples: [
        "data faults mbpp --programs 50 --out faults.jsonl",
        "data faults --functions src/ --max-per-program 3 --seed 1",
      ],
    },
  },
  examples: ["data get cruxeval", "data trace cruxeval", "data faults mbpp"],
  notes: "More: docs/how-to/import-benchmarks.md",

  async run({ positionals: [first, name, file], values, json, print, say, signal }) {
    const action = parseChoice("data", first, ["get", "import", "trace", "faults"]);
    const options = {
      filter: values.filter,
      calls: values.calls,
      anonymous: values.anonymous,
      maximumSteps: values["max-steps"],
      wallSeconds: values.timeout,
      jobs: values.workers,
      host: values.python,
      signal,
    };
    const report = (traced: TracedBenchmark) => reported(traced, json, print, say);
    const traced = async (benchmark: Benchmark, traceOptions: TraceBenchmarkOptions): Promise<number> => {
      const { out } = traceOptions;
      const stand = await standOf("data trace", values, { folder: out, unit: "shares", say, signal });
      if (stand === undefined) return report(await traceBenchmark(benchmark, traceOptions));
      const { "shard-size": size } = values;
      const { result } = await traceOn(benchmark, traceOptions, { ...stand, size }).finally(() =>
        stand.close(),
      );
      return result === undefined ? stand.unfinished(json, print) : report(result);
    };
    if (action === "faults") {
      const { host, wallSeconds, jobs } = options;
      const { "max-per-program": each, seed, programs: most } = values;
      if (values.functions !== undefined && name !== undefined)
        fail("data faults", "a benchmark or --functions", `both, ${name} and ${values.functions}`);
      if (values.functions === undefined && name === undefined)
        fail(
          "data faults",
          `a benchmark: ${benchmarkNames.join(", ")}`,
          "none",
          "Or give --functions DIR|FILE",
        );
      return withHost({ host, atMost: jobs }, async (opened) => {
        const { benchmark, rows } =
          values.functions === undefined
            ? publishedRows(name ?? "", values.data, values.split)
            : await openFunctions(values.functions, { host: opened, license: values.license, signal });
        const out = values.out ?? join(values.data, `${benchmark.name}-faults.jsonl`);
        const progress = progressOn(process.stderr, { plainEverySeconds: 10 });
        const chosen = rows.slice(0, most);
        await makeFolder(join(out, ".."));
        const log = await openFaultLog(out, [benchmark.sha256, each, seed, host, wallSeconds, labVersion()]);
        let injected: Injected | undefined;
        try {
          injected = await injectFaults(benchmark, chosen, {
            ...{ host: opened, jobs, each, seed, wallSeconds, progress, signal, log },
          });
          const lines = injected.faults.map((fault) => `${JSON.stringify(fault)}\n`);
          await writeFileAtomic(out, Buffer.from(lines.join("")));
        } finally {
          await log.close(injected?.interrupted === false);
        }
        const { counts, interrupted } = injected;
        if (json) print(JSON.stringify({ file: out, interrupted, ...counts }, null, 2));
        else {
          print(
            `${benchmark.name}: ${counts.faults} faults in ${counts.faulted} of ${counts.programs} programs; undetected ${counts.silent}, endless ${counts.endless}`,
          );
          for (const [fault, count] of Object.entries(counts.byFault).toSorted())
            print(`  ${count} x ${fault}`);
          print(`first difference in the faulty block: ${counts.partInBlock} of ${counts.faults}`);
          for (const { program, reason } of counts.left.slice(0, 10))
            print(visible(`  no fault in ${program}: ${reason}`));
          if (counts.left.length > 10) print(`  ... and ${counts.left.length - 10} more without one`);
          print(out);
        }
        if (interrupted)
          say("statelab: stopped; faults so far are saved. Run the same command again to continue");
        return interrupted || counts.faults === 0 ? 1 : 0;
      });
    }
    if (values.functions !== undefined) {
      const path = values.functions;
      if (action !== "trace" || name !== undefined)
        fail("--functions", "data trace --functions DIR|FILE", `data ${action} ${name ?? ""}`);
      const { benchmark: own, rows } = await withHost({ host: options.host, atMost: 1 }, (host) =>
        openFunctions(path, { host, license: values.license, signal }),
      );
      return traced(own, {
        ...options,
        rows,
        split: "test",
        out: values.out ?? join(values.data, "functions-traces"),
        progress: progressOn(process.stderr, { plainEverySeconds: 10 }),
      });
    }
    if (name === undefined)
      fail("data", `a benchmark: ${benchmarkNames.join(", ")}`, "none", "Or give --functions DIR|FILE");
    const benchmark: Benchmark = benchmarks[parseChoice("data", name, benchmarkNames)];
    const kept = benchmarkFile(benchmark, values.data);
    switch (action) {
      case "get": {
        const url = values.url ?? benchmark.url;
        if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ""))
          fail("--url", "an http or https address", url);
        const progress = progressOn(process.stderr);
        await getBenchmark(benchmark, {
          folder: values.data,
          url,
          signal,
          onProgress: (done, all) =>
            progress.update(benchmark.file, { step: done, steps: Math.max(done, all ?? done) }),
        }).finally(() => progress.close());
        break;
      }
      case "import": {
        if (file === undefined)
          fail("data import", "a file", "none", `Write statelab data import ${name} FILE`);
        await importBenchmark(benchmark, file, values.data);
        break;
      }
      case "trace": {
        const splits = Object.keys(benchmark.splits);
        return traced(benchmark, {
          ...options,
          rows: openBenchmark(benchmark, readFrom(values.data)),
          split: parseChoice("--split", values.split ?? splits[0], splits),
          out: values.out ?? join(values.data, `${name}-traces`),
          progress: progressOn(process.stderr, { plainEverySeconds: 10 }),
        });
      }
    }
    if (json) print(JSON.stringify({ benchmark: name, file: kept, sha256: benchmark.sha256 }));
    else {
      const where = values.data === "data" ? "" : ` --data ${shellWord(values.data)}`;
      print(`${kept}: ${benchmark.name}, as published. Trace it: statelab data trace ${name}${where}`);
    }
    return 0;
  },
});

/** --data, else STATELAB_DATA. */
const readFrom = (folder: string) => (folder === "data" ? (process.env.STATELAB_DATA ?? folder) : folder);

function publishedRows(name: string, folder: string, split: string | undefined) {
  const benchmark: Benchmark = benchmarks[parseChoice("data", name, benchmarkNames)];
  const splits = Object.keys(benchmark.splits);
  const chosen = parseChoice("--split", split ?? splits[0], splits);
  const rows = openBenchmark(benchmark, readFrom(folder)).filter(({ program }) =>
    benchmark.splits[chosen](program),
  );
  return { benchmark, rows };
}

function reported(
  { coverage, written, interrupted }: TracedBenchmark,
  json: boolean,
  print: (text: string) => void,
  say: (text: string) => void,
): number {
  if (interrupted) {
    say("statelab: stopped; traces so far are saved. Run the same command again to continue");
    return 1;
  }
  if (json) print(JSON.stringify({ ...coverage, ...written }, null, 2));
  else {
    const { programs, calls, traced, proven, functions, samples, excluded, differing, reasons, seconds } =
      coverage;
    print(
      `${coverage.benchmark}, split ${coverage.split}: ${formatCount(calls, "call")} of ${formatCount(programs, "program")}; ${traced} traced, ${proven} verified; saved ${formatCount(samples, "sample")} of ${formatCount(functions, "function")}. ${duration(seconds)}`,
    );
    for (const { reason, count } of reasons.slice(0, 20)) print(visible(`  ${count} x ${reason}`));
    for (const { id, reason } of excluded.slice(0, 20)) print(visible(`  ${id}: ${reason}`));
    if (excluded.length > 20) print(`  ... and ${excluded.length - 20} more in coverage.json`);
    for (const { id, expected, result } of differing.slice(0, 20))
      print(
        visible(
          `  ${id}: gives ${shortened(result)}, the row expects ${shortened(expected || "a true value")}`,
        ),
      );
    if (differing.length > 20) print(`  ... and ${differing.length - 20} more in coverage.json`);
    print(`${written.files.join(", ")} in ${written.folder}`);
  }
  return 0;
}

function shortened(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}

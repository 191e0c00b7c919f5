/**
 * @file Programs that change settings, run in sequence on one host and compared with plain CPython.
 *
 *     change 1, change 2, ... change 9, look at all, change 10, ...
 *
 * Each program reads its setting before it changes it; "look at all" is one program that reads every setting. So each
 * change is followed by a check of that setting: a leak persists until the check, unless a later program of the same
 * nine resets it.
 */

import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HostName, hostNames, type PythonHost } from "./host.ts";
import { disturbances, lookAtAll, source } from "./memory-reset.test-helper.ts";
import { findNative } from "./native.ts";
import { openHost } from "./open.ts";

const run = [
  "import json, os, sys",
  "size = len",
  "names = {'__name__': 'program'}",
  "exec(sys.stdin.read(), names)",
  "value = eval('f()', names)",
  "text = json.dumps(value) if type(value) is list and size(value) > 9 else repr(value)",
  "sys.__stdout__.write('=' + text)",
  "sys.__stdout__.flush()",
  "os._exit(0)",
].join("\n");

const apart = "--ro-bind / / --dev /dev --tmpfs /tmp --chdir /tmp python3 -I -c".split(" ");
const known = new Map<string, string>();

/** What the call gives in a fresh CPython that knows nothing of the lab, with an empty /tmp. */
function plainly(program: string): string {
  let text = known.get(program);
  if (text === undefined) {
    const env = { PATH: process.env.PATH ?? "", PYTHONHASHSEED: "0" };
    const { stdout, stderr } = spawnSync("bwrap", [...apart, run], { input: program, encoding: "utf8", env });
    text = stdout.slice(stdout.indexOf("=") + 1) || stderr;
    known.set(program, text);
  }
  return text;
}

const hasPython = spawnSync("python3", ["-I", "--version"]).status === 0;
/** Refused with the name of what they ask for; everything else is proven. */
const refused: Readonly<Record<HostName, readonly string[]>> = {
  embedded: ["modules", "modules put by hand", "time zone"],
  native: ["modules", "modules put by hand"],
};
const native = findNative();
const skip = !hasPython || native.kind === "missing"; // and with it bubblewrap

/** Every program once on each host, and the look at all after every `changes` of them: 1 is the full product. */
export function describeUntouched(changes: number): void {
  describe.each(hostNames)("the %s host", (name) => {
    let host: PythonHost;
    beforeAll(async () => {
      if (!skip) host = await openHost(name, { atMost: 1 });
    }, 60_000);
    afterAll(() => host?.close());

    const looked = async () => {
      const record = await traceBy(host, lookAtAll);
      if (!record.proven) return ["proven", record.reason];
      const seen = record.result as string[];
      const expected: string[] = JSON.parse(plainly(lookAtAll));
      return disturbances.flatMap(({ name: what }, i) =>
        seen[i] === expected[i] ? [] : [[what, seen[i], expected[i]]],
      );
    };

    for (const [i, disturbance] of disturbances.entries()) {
      test.skipIf(skip)(`one that changes the ${disturbance.name} after it has looked`, async () => {
        const program = source(disturbance);
        const record = await traceBy(host, program);
        const isRefused = refused[name].includes(disturbance.name);
        expect([record.proven, record.reason]).toEqual([!isRefused, isRefused ? expect.any(String) : null]);
        if (!isRefused) expect(record.literal).toBe(plainly(program));
      });
      if ((i + 1) % changes === 0 || i + 1 === disturbances.length)
        test.skipIf(skip)(
          `one that looks at all that others change, after the ${disturbance.name}`,
          async () => {
            expect(await looked()).toEqual([]);
          },
        );
    }
  });
}

async function traceBy(host: PythonHost, program: string) {
  const outcome = await host.run({ operation: "trace", source: program, call: "f()", options: {} });
  if (outcome.kind !== "done") return { proven: false, reason: outcome.words, literal: null, result: null };
  // the record of lab.trace
  return outcome.value as {
    readonly proven: boolean;
    readonly reason: string | null;
    readonly literal: string | null;
    readonly result: unknown;
  };
}

describeUntouched(1);

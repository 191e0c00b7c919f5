import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { defaultLimits, hostNames, longestSeconds, requestText, resolveLimits } from "./host.ts";
import { findNative } from "./native.ts";
import { openHost } from "./open.ts";
import { residentBytes } from "./resident-memory.ts";

const native = findNative();

/** The processes that a process has started, and those that they have. */
function below(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
  return [...children, ...children.flatMap(below)];
}

test("a program of a gigabyte is refused in one sentence", () => {
  const line = "x".repeat(2 ** 28);
  const request = { operation: "trace", source: line, call: line, code: line, expression: line };
  expect(() => requestText(request)).toThrow(
    'python: expected a program of at most 67108864 characters, got "1073741829 characters"',
  );
});

test("limits are those given last, and no time is longer than a timer waits", () => {
  expect(resolveLimits({ wallSeconds: 3 }, { memoryBytes: 7 })).toEqual({
    ...{ ...defaultLimits, wallSeconds: 3, memoryBytes: 7 },
  });
  for (const wallSeconds of [3_000_000, 1e300, Number.POSITIVE_INFINITY])
    expect(resolveLimits({ wallSeconds }).wallSeconds).toBe(longestSeconds);
  for (const wallSeconds of [0, -1, Number.NaN])
    expect(() => resolveLimits({ wallSeconds })).toThrow("limits.wallSeconds: expected a number above 0");
});

describe.each(hostNames)("the %s host", (name) => {
  const missing = name === "native" && native.kind === "missing";

  test.skipIf(missing)(
    "gives a program the seconds that it is to have, and answers nothing more when it is closed, and what ran is ended",
    async () => {
      const host = await openHost(name, { atMost: 1 });
      const code = "import time\ntime.sleep(0.1)\nassert 1 + 1 == 2";
      for (const wallSeconds of [3_000_000, 1e300])
        expect(await host.run({ operation: "execute", code }, { wallSeconds })).toMatchObject({
          kind: "done",
        });
      const running = host.run({ operation: "execute", code: "while True: pass" });
      await new Promise((resolve) => setTimeout(resolve, 300));
      await host.close();
      expect(["crashed", "sandbox"]).toContain((await running).kind);
      expect(await host.run({ operation: "execute", code: "" })).toEqual({
        kind: "sandbox",
        words: "the host is closed",
      });
    },
  );

  test.skipIf(missing || process.platform !== "linux")(
    "leaves no interpreter behind when its process is killed",
    async () => {
      const code = [
        `import { openHost } from ${JSON.stringify(new URL("./open.ts", import.meta.url).href)};`,
        `const host = await openHost("${name}", { atMost: 1 });`,
        "await host.ready();",
        'void host.run({ operation: "execute", code: "while True: pass" }, { wallSeconds: 3 });',
        'setTimeout(() => console.log("busy"), 300);',
      ].join("\n");
      const parent = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", code], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      await once(parent.stdout, "data");
      const pids = below(parent.pid!); // it runs
      expect(pids.length).toBeGreaterThan(0);
      for (const pid of pids) expect(residentBytes(pid)).toBeGreaterThan(0);
      parent.kill("SIGKILL");
      await expect.poll(() => pids.map(residentBytes), { timeout: 15_000 }).toEqual(pids.map(() => 0));
    },
  );
});

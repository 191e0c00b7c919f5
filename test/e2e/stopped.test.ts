import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { stoppedRun } from "../kit/runs.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { main } from "../kit/cli.ts";

const root = tmpFolder("stopped");
beforeAll(() => stoppedRun(join(root, "run")));

test.each([
  ["SIGINT", "evaluate run --programs 10000000"],
  ["SIGTERM", "evaluate run --programs 10000000 --set commands=20"],
  ["SIGTERM", "evaluate run --programs 10000000 --reveals reveals.jsonl"],
  ["SIGINT", "analyse run --programs 10000000"],
  ["SIGTERM", "generate repl --count 1000000000"],
  ["SIGINT", "generate repl --count 1000000 --json"],
] as const)(
  "%s ends statelab %s within seconds",
  async (signal, line) => {
    // To a file, into which Node writes without ever waiting.
    const out = openSync(join(root, "out"), "w");
    const child = spawn(process.execPath, [main, ...line.split(" ")], {
      cwd: root,
      stdio: ["ignore", out, "ignore"],
    });
    const ended = new Promise((resolve) => child.on("exit", (code) => resolve(code)));
    await new Promise((resolve) => setTimeout(resolve, 4000));
    const asked = performance.now();
    child.kill(signal);
    const last = setTimeout(() => child.kill("SIGKILL"), 20_000);
    expect(await ended).toBe(signal === "SIGINT" ? 130 : 143);
    clearTimeout(last);
    expect(performance.now() - asked).toBeLessThan(10_000);
  },
  60_000,
);

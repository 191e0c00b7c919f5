import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { bundle } from "../../../test/kit/bundle.ts";
import { callStatelab, main } from "../../../test/kit/cli.ts";
import { commands } from "../commands.ts";
import { allCommands } from "./dispatch.ts";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const statelab = (line: string) => callStatelab([line]);
const program = bundle(path("program.test-helper.ts"));
const helper = (command: string) => [program, command];

test("--help lists every command or family that has a file, in lines of at most 80 columns", async () => {
  const { code, stdout } = await statelab("--help");
  const files = readdirSync(path(".."), { recursive: true, encoding: "utf8" }).filter(
    (name) =>
      name.endsWith(".ts") && /^export const command\b/m.test(readFileSync(path(`../${name}`), "utf8")),
  );
  const named = files.map((name) => name.slice(0, -3).replaceAll("/", " "));
  expect(Object.keys(allCommands(commands)).toSorted()).toEqual(named.toSorted());
  const listed = stdout.match(/(?<=^ {2})[a-z]+(?= {2,}\w)/gm) ?? [];
  expect(listed.toSorted()).toEqual([...new Set(named.map((name) => name.split(" ")[0]))].toSorted());
  expect(listed.length).toBeLessThanOrEqual(26);
  expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  expect(code).toBe(0);
});

test("a family of commands has a list of its own", async () => {
  const { code, stdout } = await statelab("llm --help");
  expect([code, stdout.match(/(?<=^ {2})\w+/gm)]).toEqual([
    0,
    ["eval", "score", "export", "judge", "replay"],
  ]);
  expect((await statelab("help llm")).stdout).toBe(stdout);
  expect(await statelab("llm evall")).toEqual({
    code: 2,
    stdout: "",
    stderr:
      'statelab: llm: expected one of eval, score, export, judge, replay, got "evall". Did you mean eval?',
  });
  expect((await statelab("cluster")).stderr).toMatch(
    /^statelab: cluster: expected one of status, cancel, .*got "nothing"$/,
  );
});

test.each([
  ["ask", "llm eval"],
  ["resume", "train --resume"],
  ["bench", "npm run bench"],
  ["docter", "doctor"],
])(
  "%s, as it was called or mistyped, is answered in one line on stderr with %s, exit code 2",
  async (before, now) => {
    expect(await statelab(`${before} x`)).toEqual({
      code: 2,
      stdout: "",
      stderr: `statelab: expected a command, got "${before}". Did you mean ${now}?`,
    });
  },
);

test("--version is that of package.json", async () => {
  for (const flag of ["--version", "-V", "-v"]) expect((await statelab(flag)).stdout).toBe(manifest.version);
});

test("no command at all shows the list and is a mistake of usage", async () => {
  const { code, stdout } = await statelab("");
  expect(code).toBe(2);
  expect(stdout).toContain("Usage: statelab COMMAND");
});

test("a command's help is the same by --help and by the command help", async () => {
  const byFlag = await statelab("doctor --help");
  expect(byFlag.stdout).toMatch(/^statelab doctor: .*\n\nUsage: statelab doctor/);
  expect(await statelab("help doctor")).toEqual(byFlag);
});

test("a user's mistake has its exit code and no stack; a fault of the program keeps its stack", () => {
  const mistake = spawnSync(process.execPath, helper("damaged"), { encoding: "utf8" });
  expect([mistake.status, mistake.stderr]).toEqual([
    3,
    'statelab: runs/x/state.json: expected JSON, got "{"\n',
  ]);
  const fault = spawnSync(process.execPath, helper("broken"), { encoding: "utf8" });
  expect(fault.status).toBe(70);
  expect(fault.stderr).toMatch(
    /TypeError: undefined is not a tensor\n +at .*program\.test-helper\.ts[\s\S]*please report/,
  );
});

test("a command that waits for nothing does not end in silence", () => {
  const stuck = spawnSync(process.execPath, helper("stuck"), { encoding: "utf8" });
  expect(stuck.status).toBe(70);
  expect(stuck.stderr).toMatch(/the program waits forever.*please report/);
});

async function whenWaiting(child: ChildProcess): Promise<void> {
  await new Promise((resolve) => child.stdout?.once("data", resolve));
}

function ended(child: ChildProcess): Promise<{ code: number | null; stderr: string }> {
  let stderr = "";
  child.stderr?.on("data", (bytes) => {
    stderr += bytes;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stderr })));
}

const onPosix = test.skipIf(process.platform === "win32");

onPosix.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s lets the command save and say how to resume, then exits with %i", async (signal, code) => {
  const child = spawn(process.execPath, helper("wait"), { stdio: "pipe" });
  const end = ended(child);
  await whenWaiting(child);
  child.kill(signal);
  expect(await end).toEqual({
    code,
    stderr:
      "\nstatelab: stopping; press Ctrl-C again to stop at once\nsaved; go on with: statelab train --resume runs/x\n",
  });
});

onPosix("a second Ctrl-C ends a command that does not stop", async () => {
  const child = spawn(process.execPath, helper("deaf"), { stdio: "pipe" });
  const end = ended(child);
  await whenWaiting(child);
  child.kill("SIGINT");
  await whenWaiting(child); // it has heard the first
  child.kill("SIGINT");
  expect((await end).code).toBe(130);
});

onPosix("a reader that closes the pipe early hears no complaint", async () => {
  const child = spawn(process.execPath, helper("flood"), { stdio: "pipe" });
  const end = ended(child);
  await whenWaiting(child);
  child.stdout?.destroy();
  expect(await end).toEqual({ code: 0, stderr: "" });
});

test.runIf(process.platform === "linux")(
  "what cannot be printed on a full disk is said in one sentence, exit code 7",
  () => {
    for (const args of [["--help"], ["doctor", "--help"], ["generate", "repl", "--count", "3"]]) {
      const full = openSync("/dev/full", "w");
      const { status, stderr } = spawnSync(process.execPath, [main, ...args], {
        encoding: "utf8",
        stdio: ["ignore", full, "pipe"],
      });
      closeSync(full);
      expect([status, stderr]).toEqual([
        7,
        "statelab: stdout: expected room on the disk, got none left. Earlier saves are intact\n",
      ]);
    }
  },
);

import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { statelab, succeed, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const root = tmpFolder("trust");
const at = (...parts: string[]) => join(root, ...parts);
const run = (...args: string[]) => statelab(root, ...args);
const json = (path: string) => JSON.parse(readFileSync(path, "utf8"));

/** Written by the code of a foreign run as soon as it is loaded. */
const trace = at("it-ran");
const ran = () => {
  const did = existsSync(trace);
  rmSync(trace, { force: true });
  return did;
};
const hostile = (code: string, mark: string) =>
  `import { writeFileSync as w } from "node:fs"; w(${JSON.stringify(trace)}, ${JSON.stringify(mark)});\n${code}`;

const config = `
task: { name: parity, length: 4 }
model: { name: ./model.ts, layers: 1, width: 8 }
train: { steps: 4, batch: 4 }
evaluate: { examples: 4 }
checkpointEvery: 2
`;

/** A copy of the run, as somebody else might send it: its kept model does one thing more, and its records agree. */
function foreign(name: string, mark: string): string {
  cpSync(at("mine"), at(name), { recursive: true });
  const file = at(name, "own", "model.mjs");
  const code = hostile(readFileSync(file, "utf8"), mark);
  writeFileSync(file, code);
  const origin = json(at(name, "origin.json"));
  origin.own.model.sha256 = createHash("sha256").update(code).digest("hex");
  writeFileSync(at(name, "origin.json"), JSON.stringify(origin));
  return name;
}

beforeAll(async () => {
  const example = fileURLToPath(new URL("../../examples/my-model.ts", import.meta.url));
  cpSync(example, at("model.ts"));
  writeFileSync(at("run.yaml"), config);
  for (const args of [words("train run.yaml --out mine"), ["evaluate", "mine"]]) {
    await succeed(root, ...args);
  }
}, 60_000);

/** Every command that opens the folder of a run. */
const opening: readonly (readonly string[])[] = [
  ["analyze", "theirs"],
  ["compare", "mine", "theirs"],
  ["evaluate", "theirs"],
  ["evaluate", "theirs", "--use-current-code"],
  ["evaluate", "theirs", "--json"],
  words("export theirs --out exported"),
  ["cluster data-worker", "theirs"],
  ["train --resume", "theirs"],
  words("report theirs --out page"),
  words("serve theirs --port 0"),
];

test("the commands asked below are all that take the folder of a run", async () => {
  const { stdout } = await run("--help");
  const names = [...stdout.matchAll(/^ {2}([a-z][a-z -]*?) {2,}/gm)].map(([, name]) => name);
  const helps = await Promise.all(names.map(async (name) => [name, (await run(name, "--help")).stdout]));
  const takesRun = helps.filter(([, help]) => / (RUN|FOLDER|A)\b/.test(/^Usage: (.*)$/m.exec(help)![1]));
  const asked = new Set(opening.map(([name]) => name.split(" --")[0]));
  expect(takesRun.map(([name]) => name).filter((name) => !asked.has(name))).toEqual([]);
});

test("code of a run that nobody trusted is run by no command", async () => {
  foreign("theirs", "first");
  // So that --use-current-code would find something: a file of theirs, under a path that was never named here.
  writeFileSync(
    at("theirs", "evil.mjs"),
    hostile(readFileSync(at("mine", "own", "model.mjs"), "utf8"), "edited"),
  );
  const written = json(at("theirs", "config.json"));
  writeFileSync(
    at("theirs", "config.json"),
    JSON.stringify({
      ...written,
      model: { ...written.model, name: at("theirs", "evil.mjs") },
      data: { async: { prefetch: 4 } }, // so that there is something to feed
    }),
  );
  mkdirSync(at("theirs", "stream"));
  const begun = { version: 1, taken: 0, weights: 0, finished: false };
  writeFileSync(at("theirs", "stream", "progress.json"), JSON.stringify(begun));
  for (const args of opening) {
    const { code, stderr } = await run(...args);
    expect([args, ran()]).toEqual([args, false]);
    if (args[0] === "report") continue; // reads records alone
    expect([args, code]).toEqual([args, 2]);
    expect(stderr).toMatch(
      /expected code that you have trained with or trusted, got other code \(SHA-256 [0-9a-f]{12}\.\.\.\)/,
    );
    expect(stderr).toContain("--trust-code");
  }
}, 120_000);

test("a configuration without a kept copy that names a file is refused alike", async () => {
  cpSync(at("theirs"), at("bare"), { recursive: true });
  rmSync(at("bare", "origin.json"));
  rmSync(at("bare", "own"), { recursive: true });
  const { code, stderr } = await run("evaluate bare");
  expect([code, ran()]).toEqual([2, false]);
  expect(stderr).toContain("evil.mjs: expected code that you have trained with or trusted");
});

test("--trust-code runs it and is remembered; other code is refused again", async () => {
  foreign("sent", "sent");
  const trusting = await run("evaluate sent --trust-code");
  expect([trusting.code, ran()], trusting.stderr).toEqual([0, true]);
  const again = await run("evaluate sent --rerun");
  expect([again.code, ran()], again.stderr).toEqual([0, true]);
  foreign("other", "other");
  expect([(await run("evaluate other")).code, ran()]).toEqual([2, false]);
}, 60_000);

test("one's own run asks nothing, by its copy or as it was edited", async () => {
  expect((await run("evaluate mine")).code).toBe(0);
  writeFileSync(at("model.ts"), `${readFileSync(at("model.ts"), "utf8")}\n// edited\n`);
  const edited = await run("evaluate mine --use-current-code");
  expect(edited.code, edited.stderr).toBe(0);
}, 60_000);

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callStatelab, words } from "../../test/kit/cli.ts";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { hasPython, runPython } from "../python/trace/python.test-helper.ts";
import { Diagnosis } from "../schemas/transcript.ts";

const root = tmpFolder("diagnose");
const path = (name: string) => join(root, name);

const run = (...args: string[]) => callStatelab(args);

test.skipIf(!hasPython)(
  "a transcript in Markdown, against a recorded run: text, JSON, page, replay (skipped without python3)",
  async () => {
    const source = readFileSync("examples/sum.py", "utf8");
    const [history] = runPython([{ operation: "history", source, call: "count([1, 2, 3], 3)" }]);
    writeFileSync(path("run.json"), JSON.stringify(history));
    const call = ["diagnose", "examples/transcript.md", "--program", path("run.json")];
    const found = await run(...call, "--report", path("page.html"), "--replay", path("again.json"));
    expect(found.code).toBe(1);
    expect(found.stdout).toContain("state lost at step 7 (correct at step 6): total = 6 (true: 5)");
    expect(found.stdout).toMatch(/^X +7 model: total = 6/m);
    const json = await run(...call, "--json");
    const diagnosis = Diagnosis.parse(JSON.parse(json.stdout));
    expect(diagnosis.onset).toEqual({ step: 7, after: 6, names: ["total"], state: { total: "5", i: "2" } });
    expect(diagnosis.chain.at(-1)).toEqual({ step: 8, names: ["return"], from: ["total"] });
    expect(diagnosis.recovered).toEqual([4]);
    const replay = JSON.parse(readFileSync(path("again.json"), "utf8"));
    expect(replay.at(-2).content).toMatch(/\nAfter line 5 \(time 2\): total = 5, i = 2$/);
    const html = readFileSync(path("page.html"), "utf8");
    expect(html).toContain("State lost at step 7");
    expect(html).not.toContain("<script");
  },
);

test.skipIf(!hasPython)("a log of Inspect is the same as .eval and as JSON", async () => {
  const messages = [
    { role: "user", content: "Run it." },
    { role: "assistant", content: "x = 1" },
  ];
  const samples = ["one", "two"].map((id) => ({ id, epoch: 1, messages }));
  writeFileSync(path("log.json"), JSON.stringify({ version: 2, eval: {}, samples }));
  const zip =
    'import json, sys, zipfile\nwith zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as z:\n z.writestr("header.json", "{}")\n for s in json.load(open(sys.argv[1]))["samples"]: z.writestr(f"samples/{s[\'id\']}_epoch_1.json", json.dumps(s))';
  execFileSync("python3", ["-c", zip, path("log.json"), path("log.eval")]);
  const [json, packed] = await Promise.all([
    run("diagnose", path("log.json"), "--json"),
    run("diagnose", path("log.eval"), "--json"),
  ]);
  expect(packed).toEqual(json);
  expect(packed.stdout).toContain('"one/1"');

  writeFileSync(path("cut.eval"), readFileSync(path("log.eval")).subarray(0, 60));
  const cut = await run("diagnose", path("cut.eval"));
  expect([cut.code, cut.stderr]).toEqual([
    3,
    expect.stringMatching(/cut\.eval: expected a whole zip file, got/),
  ]);
});

test("a ledger is held against its world; the last wrong digit is where it is lost", async () => {
  const out = path("lock");
  const order = words("agent run lock --runtime calls --policy tracking --set tracking.error=0.3");
  await run(...order, "--episodes", "30", "--out", out);
  const { code, stdout } = await run("diagnose", out, "--json");
  const found = stdout.split("\n").map((line) => Diagnosis.parse(JSON.parse(line)));
  expect(found).toHaveLength(30);
  for (const { claims, onset, truth } of found) {
    expect(truth).toBe("world");
    const digits = claims.filter(({ name }) => name === "a");
    const last = digits.findLastIndex(({ verdict }) => verdict === "right") + 1;
    expect(onset?.step).toBe(digits[last]?.step);
  }
  expect(code).toBe(found.some(({ onset }) => onset !== null) ? 1 : 0);
  const text = readFileSync(join(out, "ledger.jsonl"), "utf8");
  writeFileSync(path("changed.jsonl"), text.replace("enter(0)", "enter(1)"));
  const changed = await run("diagnose", path("changed.jsonl"));
  expect([changed.code, changed.stderr]).toEqual([3, expect.stringMatching(/changed\.jsonl, line \d+: /)]);
});

test("refactor's edits claim that a file is still to be done", async () => {
  const out = path("refactor");
  await run(
    "agent run refactor --runtime calls --policy forgetful --set forgetful.window=1",
    ...words("--episodes 1 --out"),
    out,
  );
  const { stdout } = await run("diagnose", out, "--json");
  const { claims } = Diagnosis.parse(JSON.parse(stdout));
  const seen = new Set<string>();
  for (const { name, verdict } of claims.filter((claim) => claim.name.endsWith("is done"))) {
    expect(verdict).toBe(seen.has(name) ? "wrong" : "right");
    seen.add(name);
  }
  expect(seen.size).toBeGreaterThan(4);
  expect(claims.some(({ verdict }) => verdict === "wrong")).toBe(true);
});

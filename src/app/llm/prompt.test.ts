import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { chatReply, json, promptOf } from "../../eval/endpoints/server.test-helper.ts";
import { AskResults } from "../../schemas/eval.ts";
import { sha256 } from "../../storage/index.ts";
import { askedOf } from "./asked.test-helper.ts";

const root = tmpFolder("prompt");
afterEach(() => vi.unstubAllEnvs());

test("the words of a file are what is sent, and the results say which they were and how many examples", async () => {
  const prompt = join(root, "mine.txt");
  writeFileSync(prompt, "{shots}\nWhat is p?\n{program}");
  const folder = join(root, "asked");
  const { server } = await askedOf(json(chatReply("0")), 2, folder, { prompt, shots: 3 });
  for (const one of server.asked) {
    const [shots, program] = promptOf(one).split("\nWhat is p?\n");
    expect([shots.split("[/ANSWER]").length - 1, /^p = [\s\S]*== \?\?$/.test(program)]).toEqual([3, true]);
  }
  const results = AskResults.parse(JSON.parse(readFileSync(join(folder, "results.json"), "utf8")));
  expect([results.shots, results.prompt]).toEqual([3, sha256(readFileSync(prompt))]);
});

test("`upstream` is CRUXEval's prompts.py in the folder of data, which the lab does not bring along", async () => {
  const asked = (order: object) =>
    askedOf(json(chatReply("0")), 1, join(root, "upstream"), { prompt: "upstream", ...order });
  vi.stubEnv("STATELAB_DATA", undefined);
  await expect(asked({})).rejects.toThrow(
    /expected the file cruxeval\/prompts\.py, got "none".*repository \(MIT\)/,
  );
  mkdirSync(join(root, "data", "cruxeval"), { recursive: true });
  const words =
    'def make_direct_output_prompt(s):\n    return f"""Its words.\n{code}\nassert f({input}) == ??\n"""\n';
  writeFileSync(join(root, "data", "cruxeval", "prompts.py"), words);
  vi.stubEnv("STATELAB_DATA", join(root, "data"));
  const { server, results } = await asked({});
  expect(promptOf(server.asked[0])).toMatch(/^Its words\.\np = /);
  expect(results?.prompt).toBe(sha256(Buffer.from(words)));
});

test("what a file lacks, and a bench of one form, are said before anything is asked", async () => {
  const prompt = join(root, "prompts.py");
  writeFileSync(prompt, "");
  const refused = (order: object) => askedOf(json(chatReply("0")), 1, join(root, "none"), order);
  await expect(refused({ prompt })).rejects.toThrow("a function make_direct_output_prompt");
  await expect(refused({ shots: 1, bench: "s5" })).rejects.toThrow(/another benchmark, got "s5"/);
});

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../kit/tmp.ts";
import { startStatelab, statelab } from "../kit/cli.ts";

const root = tmpFolder("studio-command");

test("it says where it is, shows the folder it was given, and ends by Ctrl-C", async () => {
  mkdirSync(join(root, "mine"));
  const studio = startStatelab(root, "studio", "mine", "--port", "0", "--json");
  const first = await new Promise<string>((line) =>
    studio.process.stdout!.once("data", (text: string) => line(String(text))),
  );
  const { url, runs } = JSON.parse(first);
  expect(runs).toBe("mine");
  expect(await (await fetch(url)).text()).toContain('data-served="true"');
  expect(await (await fetch(new URL("api/runs", url))).json()).toEqual({ folder: "mine", runs: [] });
  studio.process.kill("SIGINT");
  expect((await studio.ended).code).toBe(130);
});

test("a static build is the page in a new folder, and never in one that holds something", async () => {
  const { code, stdout } = await statelab(root, "studio", "--build", "site");
  expect([code, stdout]).toEqual([0, "Wrote site. Any web server can serve it, from any path.\n"]);
  for (const name of ["index.html", "main.js", "models.worker.js"])
    expect(existsSync(join(root, "site", name))).toBe(true);
  const again = await statelab(root, "studio", "--build", "site");
  expect(again.code).toBe(2);
  expect(again.stderr).toContain('--build: expected a folder that is not there, or is empty, got "site"');
});

test.each([
  ["a folder that is not there", ["studio", "nothing"], "nothing: expected a folder of runs"],
  [
    "another machine's address",
    ["studio", "--host", "0.0.0.0", "--no-open"],
    "expected an address of this machine",
  ],
  ["a port that is none", ["studio", "--port", "70000"], "expected a port up to 65535"],
  ["runs in a static build", ["studio", "mine", "--build", "other"], "A static site has no runs"],
])("%s is one sentence", async (_, args, words) => {
  writeFileSync(join(root, "a.txt"), "");
  const { code, stderr } = await statelab(root, ...args);
  expect(code).toBe(2);
  expect(stderr).toContain(words);
  expect(stderr.trimEnd()).not.toContain("\n");
});

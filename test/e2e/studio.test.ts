import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startStatelab } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const root = tmpFolder("studio-command");

test("it says where it is, shows the folder it was given, and ends by Ctrl-C", async () => {
  mkdirSync(join(root, "mine"));
  const studio = startStatelab(root, "studio mine --port 0 --json");
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

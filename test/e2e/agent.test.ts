import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callBuilt, statelab, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const root = tmpFolder("agent-own");
const agent = (...[line, ...more]: string[]) => callBuilt([`agent ${line}`, ...more]);

test("a policy of one's own is a file: kept, replayed without running it, and no other one goes on with its episodes", async () => {
  const file = join(root, "mine.mjs");
  const text = (reply: string) => `import { z } from "statelab";
    import { definePolicy } from "statelab/eval";
    export default definePolicy({ name: "mine", summary: "asks for the first one", params: z.strictObject({ times: z.int().default(1) }),
      decide: ({ task }, { times }) => ${reply} });`;
  writeFileSync(file, text('times === 2 ? "finish()" : "list_items()"'));
  const folder = join(root, "own");
  const order = [...words("run knapsack --runtime calls --policy"), file, "--turns", "3", "--out", folder];
  const ran = await agent(...order, "--episodes", "2", "--json");
  expect([ran.code, JSON.parse(ran.stdout).policy], ran.stderr).toEqual([0, "mine"]);
  const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
  expect(config.settings.mine).toEqual({ times: 1 });
  const kept = readFileSync(join(folder, "own", "policy.mjs"), "utf8");
  expect(config.own).toEqual({ path: file, sha256: createHash("sha256").update(kept).digest("hex") });
  expect((await agent("replay", folder)).code).toBe(0);
  writeFileSync(file, text("1"));
  expect(await agent(...order, "--episodes", "4")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/config\.json: expected own .*, as in its episodes, got /),
  });
  writeFileSync(join(folder, "own", "policy.mjs"), "throw 1"); // nothing of it is run
  expect((await agent("replay", folder)).code).toBe(0);
  const wrong = [
    ["1", /mine\.mjs: expected a reply of mine, as text, got "number"/],
    [
      "nobody.knows",
      /mine\.mjs: expected mine to decide, got "ReferenceError: nobody is not defined"\. Thrown at /,
    ],
  ] as const;
  for (const [reply, words] of wrong) {
    writeFileSync(file, text(reply));
    const ended = await statelab(root, "agent", ...order.slice(0, -1), join(root, "wrong"));
    expect([ended.code, ended.stdout]).toEqual([2, ""]);
    expect(ended.stderr).toMatch(words);
    expect(ended.stderr).not.toContain("please report");
    rmSync(join(root, "wrong"), { recursive: true });
  }
  writeFileSync(file, text("1").replace('"mine"', '"reuse"'));
  expect((await agent(...order)).stderr).toMatch(/expected a name that no built-in policy has, got "reuse"/);
});

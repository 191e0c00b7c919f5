import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { faultLine, faults } from "../faults.test-helper.ts";
import { Client, fasterHost } from "./client.test-helper.ts";

const folder = tmpFolder("faults");
let client: Client | undefined;
afterEach(() => client?.stop());

test.each(faults)("$fault: found in at most 4 requests", async ({ program, by }) => {
  const path = join(folder, "faulty.py");
  writeFileSync(path, program);
  const line = faultLine(program);
  client = new Client().inProcess();
  await client.open({ program: path, python: fasterHost });
  await client.ask("setExceptionBreakpoints", { filters: ["uncaught"] });
  const { reason, frameId } = await client.begin();
  expect(reason).toBe("exception");
  if ("variable" in by) {
    const { dataId } = await client.ask("dataBreakpointInfo", { name: by.variable, frameId });
    const { condition } = by;
    await client.ask("setDataBreakpoints", { breakpoints: [{ dataId, ...(condition && { condition }) }] });
    expect((await client.go("reverseContinue")).place).toMatch(new RegExp(`:${line}$`)); // with stackTrace
  } else {
    for (const expression of by.slice(0, -1)) await client.ask("evaluate", { expression, context: "repl" });
    const last = { expression: by.at(-1), context: "repl" };
    expect((await client.go("evaluate", last)).place).toMatch(new RegExp(`:${line}$`));
  }
  expect(client.requests).toBeLessThanOrEqual(4);
});

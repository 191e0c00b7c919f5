/** @file Python's MCP client (mcp 2.3.0 from PyPI) opens a session of `statelab mcp` and asks where a value comes from. */

import { expect, test } from "vitest";
import { main } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { here, isInstalled, python } from "./python.test-helper.ts";

const folder = tmpFolder("mcp-python");

test.skipIf(!isInstalled("mcp"))(
  "Python's client lists the tools and finds the line that set a wrong value",
  () => {
    const { stdout, stderr } = python([
      here("mcp_client.py"),
      ...[process.execPath, main, "mcp", "--root", folder, "--sessions", folder],
    ]);
    expect(JSON.parse(stdout || JSON.stringify(stderr))).toMatchObject({
      ...{ server: "statelab", tools: 10, result: "6", refused: true },
      first: { name: "total", value: "1", line: 2, kind: "bound" },
    });
  },
  60_000,
);

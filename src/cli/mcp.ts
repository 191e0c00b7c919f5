/** @file statelab mcp: the debugger, the tracer and the runs as tools for agents, over the Model Context Protocol. */

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { addAbortSignal } from "node:stream";
import { fail } from "../core/error.ts";
import { withHost } from "../python/sandbox/open.ts";
import { defineCommand } from "./lib/command.ts";
import { flag, group, hostOptions, portOption } from "./lib/flags.ts";
import { callIn, LARGEST_HISTORY, readProgram } from "./lib/program.ts";

export const command = defineCommand({
  name: "mcp",
  summary: "give agents the debugger, tracer and runs (MCP)",
  usage: "mcp [--root DIR] [--port N] [OPTIONS]",
  options: {
    ...group("Server", {
      root: flag.text("DIR", "tools read files below this folder only", { default: "." }),
      sessions: flag.text("DIR", "recordings of debug sessions [~/.local/state/statelab/mcp]"),
      port: {
        ...portOption(undefined),
        description: "serve HTTP on this port of 127.0.0.1 [stdio]; 0: a free one",
      },
    }),
    ...group("Sandbox", {
      "max-steps": flag.integer("N", "maximum lines, calls and returns", { default: 20000, least: 1 }),
    }),
    ...hostOptions,
  },
  examples: ["mcp", "mcp --root ~/project --python native", "mcp --port 8719"],
  notes:
    "A client starts this command and speaks the Model Context Protocol with it on stdin and stdout. Programs run in the sandbox of statelab debug. statelab debug FILE opens the recording of a session.\n" +
    "More: docs/how-to/agent-debugger.md",

  async run({ values, json, print, say, signal }) {
    const { root, port, timeout: wallSeconds, "max-steps": maximumSteps } = values;
    if (!existsSync(root)) fail("--root", "an existing folder", root);
    const { XDG_STATE_HOME: given = "" } = process.env;
    const state = isAbsolute(given) ? given : join(homedir(), ".local", "state");
    const options = {
      ...{ root: resolve(root), sessions: resolve(values.sessions ?? join(state, "statelab", "mcp")) },
      ...{ wallSeconds, maximumSteps, callIn },
      read: (file: string) => readProgram(file, LARGEST_HISTORY),
      onFault: (error: unknown) =>
        say(error instanceof Error ? (error.stack ?? error.message) : String(error)),
    };
    const { serveMcpStdio, startMcp } = await import("../app/mcp/serve.ts");
    return await withHost({ host: values.python, atMost: 2 }, async (host) => {
      if (port === undefined) {
        const input = addAbortSignal(signal, process.stdin.setEncoding("utf8"));
        await serveMcpStdio(
          { ...options, host },
          {
            input,
            write: (line) => process.stdout.write(line),
            onFault: options.onFault,
            signal,
          },
        );
        return 0;
      }
      const server = await startMcp({ ...options, host, port });
      print(json ? JSON.stringify({ url: server.url, pid: process.pid }) : `${server.url}  stop with Ctrl-C`);
      await new Promise<void>((end) => {
        if (signal.aborted) end();
        signal.addEventListener("abort", () => end(), { once: true });
      });
      await server.close();
      return 0;
    });
  },
});

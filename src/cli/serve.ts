/** @file statelab serve: serves a trained model by the OpenAI protocol, for `llm eval` and for other harnesses. */

import { fail } from "../core/error.ts";
import { defineCommand } from "./lib/command.ts";
import { checkpointOption, deviceOption, flag, group, portOption, seedOption } from "./lib/flags.ts";

export const command = defineCommand({
  name: "serve",
  summary: "serve a model over the OpenAI protocol",
  usage: "serve RUN [OPTIONS]",
  opensRuns: true,
  positionals: { least: 1, most: 1 },
  options: {
    ...group("Server", {
      port: portOption(8000),
      host: flag.text("ADDRESS", "address; other machines need --api-key-env", { default: "127.0.0.1" }),
      "api-key-env": flag.text("NAME", "environment variable with the key that clients send"),
      "max-requests": flag.integer("N", "sequences decoded in parallel", { default: 4, least: 1 }),
      queue: flag.integer("N", "maximum waiting requests; more get status 429", { default: 64, least: 0 }),
    }),
    ...group("Model", {
      name: flag.text("NAME", "model name [the folder's]"),
      checkpoint: checkpointOption,
      device: deviceOption("the run's"),
      "context-length": flag.integer("N", "maximum tokens [Transformer 2048, others 1000000]", { least: 1 }),
      "chat-template": flag.text("FILE", "how a chat becomes one text [message contents, joined]"),
      seed: { ...seedOption, description: "random seed of requests without one" },
    }),
  },
  examples: [
    "serve runs/deltanet",
    "serve runs/deltanet --port 0 --json",
    "serve runs/transformer --context-length 8192 --max-requests 1",
  ],
  notes:
    "Serves /health, /v1/models, /v1/completions and /v1/chat/completions until Ctrl-C. To test it from another terminal: statelab llm eval --bench reveals --data FILE --protocol completion --base-url URL --model NAME.\n" +
    "More: docs/how-to/serve.md",

  async run({ positionals: [folder], values, json, print, say, signal }) {
    const { port, "max-requests": slots, queue, seed, "context-length": context } = values;
    const key = keyIn(values["api-key-env"]);
    const template = await templateIn(values["chat-template"]);
    const { serveRun } = await import("../app/serve.ts"); // loaded after the flags are checked
    const serving = await serveRun({
      ...{
        folder,
        name: values.name,
        step: values.checkpoint,
        device: values.device,
        host: values.host,
        port,
        key,
        context,
        slots,
        queue,
        seed,
      },
      onRemark: (sentence) => say(`statelab: ${sentence}`),
      ...(template !== undefined && { template }),
      onIgnored: (name) =>
        say(`statelab: requests have the field ${JSON.stringify(name.slice(0, 60))}, which is ignored`),
      onFault: (error) => say(error instanceof Error ? (error.stack ?? error.message) : String(error)),
      onEnd: ({ method, path, status, milliseconds }) => {
        if (process.stderr.isTTY) say(`${method} ${path}  ${status ?? "left"}  ${milliseconds} ms`);
      },
    });
    const { url, name, step, context: tokens } = serving;
    if (json) {
      const { pid } = process;
      print(JSON.stringify({ url, model: name, run: folder, step, context: tokens, slots, pid }));
    } else {
      print(
        `${url}  serves ${name}, step ${step} of ${folder}, ${tokens} tokens of context; stop with Ctrl-C`,
      );
    }
    await stopped(signal);
    const totals = await serving.close();
    say(
      `statelab: served ${totals.requests} requests, ${totals.errors} of them refused; ${totals.tokens} tokens`,
    );
  },
});

async function templateIn(path: string | undefined) {
  if (path === undefined) return undefined;
  const [{ ChatTemplate }, { readJson }] = await Promise.all([
    import("../serve/chat.ts"),
    import("../app/data/files.ts"),
  ]);
  return (await readJson(path, ChatTemplate)).value;
}

function keyIn(variable: string | undefined): string | undefined {
  if (variable === undefined) return undefined;
  const { [variable]: key = "" } = process.env;
  return key === "" ? fail("--api-key-env", `a key in the environment variable ${variable}`, "none") : key;
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((end) => {
    if (signal.aborted) end();
    signal.addEventListener("abort", () => end(), { once: true });
  });
}

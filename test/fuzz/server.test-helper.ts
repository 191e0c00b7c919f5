/** @file The doors of the server: bodies for each route, and whatever comes over a socket. */

import { Agent, request } from "node:http";
import { connect } from "node:net";
import { modelOf, posted, type Serving, serve, session } from "../../src/serve/served.test-helper.ts";
import type { Door } from "./cases.test-helper.ts";

export interface ServedDoors {
  readonly doors: readonly Door[];
  close(): Promise<void>;
}

export async function openServedDoors(): Promise<ServedDoors> {
  const server = await serve(modelOf("deltanet"), { slots: 2, context: 80 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const told = { model: "tiny", max_tokens: 3, seed: 1 };
  const completions = [
    {
      ...{ ...told, prompt: session, stream: true, stream_options: { include_usage: true } },
      ...{ logprobs: 2, echo: true },
    },
    { ...told, prompt: [session, "a"], n: 2, temperature: 0.7, top_p: 0.9, stop: ["\n", "b"], user: "u" },
    { ...told, prompt: [1, 2, 3], best_of: 1, presence_penalty: 0, logit_bias: { "1": 5 } },
  ];
  const chats = [
    { ...told, messages: [{ role: "user", content: session }], logprobs: true, top_logprobs: 2 },
    { ...told, messages: [{ role: "user", content: [{ type: "text", text: session }] }], stream: true },
  ];
  const body = (path: string, samples: readonly object[]): Door => ({
    name: `served${path.replaceAll("/", "-")}`,
    samples: samples.map((sample) => JSON.stringify(sample)),
    words: [
      session,
      ...'"prompt":|"messages":[|"n":1e9,|"max_tokens":-1,|"stop":"",|"temperature":null,'.split("|"),
    ],
    cost: 4,
    open: (bytes) => withoutFault(server, () => posting(`${server.url}${path}`, bytes, agent)),
  });
  return {
    doors: [
      body("/v1/completions", completions),
      body("/v1/chat/completions", chats),
      body("/tokenize", [{ prompt: session }, { messages: chats[0].messages }]),
      body("/detokenize", [{ tokens: [1, 2, 3] }]),
      {
        name: "served-socket",
        samples: [
          "GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n",
          "GET /v1/models/tiny?x=%2e HTTP/1.1\r\nhost: 127.0.0.1\r\norigin: http://x\r\nauthorization: Bearer x\r\n\r\n",
          "POST /tokenize HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
          posted({ prompt: session, max_tokens: 2 }).repeat(3),
        ],
        words: "\r\n|GET |POST |HEAD |/v1/models/|%00|%2f|..|host: evil\r\n|expect: 100-continue\r\n".split(
          "|",
        ),
        cost: 20,
        open: (bytes) => withoutFault(server, () => sending(server.url, bytes)),
      },
    ],
    async close() {
      agent.destroy();
      await server.close();
    },
  };
}

async function withoutFault(server: Serving, ask: () => Promise<unknown>): Promise<void> {
  const before = server.faults.length;
  await ask();
  if (server.faults.length > before) throw server.faults.at(-1);
}

/** Rejects where the server fails, or ends without an answer. */
function posting(url: string, body: Buffer, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": body.length };
    const asked = request(url, { method: "POST", headers, agent }, (response) => {
      response.resume();
      response.on("error", reject);
      response.on("end", () => {
        if ((response.statusCode ?? 500) < 500) resolve();
        else reject(new Error(`the server answered ${response.statusCode}`));
      });
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

/** What a client would see that sends these bytes and listens until nothing comes for a while. */
function sending(url: string, bytes: Buffer): Promise<void> {
  const quietMilliseconds = 40;
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    let answer = "";
    const done = () => {
      socket.destroy();
      if (/^HTTP\/1\.1 5(?!03)/m.test(answer))
        reject(new Error(`the server answered ${answer.slice(0, 200)}`));
      else if (answer !== "" && !answer.startsWith("HTTP/1.1 "))
        reject(new Error(`no HTTP: ${answer.slice(0, 80)}`));
      else resolve();
    };
    let quiet = setTimeout(done, quietMilliseconds);
    socket.on("data", (more) => {
      answer += more.toString("latin1");
      clearTimeout(quiet);
      quiet = setTimeout(done, quietMilliseconds);
    });
    socket.on("error", () => {}); // it lets go of whom it does not understand
    socket.on("close", done);
    socket.write(bytes);
  });
}

/**
 * @file Checks in a child process whether ONNX Runtime computes on a device of this machine: a library that fails to load prints to
 * stderr and may crash.
 */

import { execFile } from "node:child_process";

export type Tried =
  | { readonly ok: true; readonly seconds: number }
  | { readonly ok: false; readonly reason: string };

export interface Trial {
  /** The module of ONNX Runtime. */
  readonly runtime: string;
  readonly provider: string;
  /** A model that computes y of x [1, 2] and w [2, 2]. */
  readonly model: Uint8Array;
  /** y for x = [1 2], w = [[3 4] [5 6]]. */
  readonly expected: string;
}

const LONGEST_MILLISECONDS = 60_000;

const script = `
const [runtime, provider, model] = process.argv.slice(1);
const say = (value) => process.stdout.write("\\n" + JSON.stringify(value), () => process.exit(0));
const started = performance.now();
(async () => {
  const ort = require(runtime);
  const session = await ort.InferenceSession.create(Buffer.from(model, "base64"), {
    executionProviders: [provider],
    logSeverityLevel: 4,
  });
  const { y } = await session.run({
    x: new ort.Tensor("float32", Float32Array.of(1, 2), [1, 2]),
    w: new ort.Tensor("float32", Float32Array.of(3, 4, 5, 6), [2, 2]),
  });
  return { y: String(y.data), seconds: (performance.now() - started) / 1000 };
})().then(say, (error) => say({ error: String(error.message) }));
`;

export function tryProvider({ runtime, provider, model, expected }: Trial): Promise<Tried> {
  const parameters = ["-e", script, runtime, provider, Buffer.from(model).toString("base64")];
  return new Promise((resolve) => {
    execFile(process.execPath, parameters, { timeout: LONGEST_MILLISECONDS }, (failure, stdout) => {
      const last = stdout.trimEnd().split("\n").at(-1) ?? "";
      if (failure !== null || !last.startsWith("{")) {
        const how = failure?.signal
          ? `is killed by ${failure.signal}`
          : `ends with exit code ${failure?.code ?? 0}`;
        resolve({ ok: false, reason: `the process that tries it ${how}` });
        return;
      }
      const said = JSON.parse(last) as {
        readonly y?: string;
        readonly seconds?: number;
        readonly error?: string;
      }; // written by the script above
      if (said.error !== undefined) resolve({ ok: false, reason: describeProvider(said.error) });
      else if (said.y !== expected)
        resolve({ ok: false, reason: `wrong result: ${said.y}, expected ${expected}` });
      else resolve({ ok: true, seconds: said.seconds ?? 0 });
    });
  });
}

/** The last sentence of an ONNX Runtime error, without source locations. */
export function describeProvider(message: string): string {
  const [line] = message.split("\n");
  const said = line
    .replace(/^.* was false\.\s*/, "")
    .replace(/^\w*ExecutionProvider_\w+:\s*/, "")
    .replace(/^(\S*\/\S+:\d+ \S+ )+/, "");
  return said.trim().replace(/[.\s]+$/, "") || "no error message";
}

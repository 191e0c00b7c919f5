import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { describeProvider, tryProvider } from "./provider-check.ts";

const runtime = createRequire(import.meta.url).resolve("onnxruntime-node");
const model = Buffer.from(
  "CAg6WgoRCgF4CgF3EgF5IgZNYXRNdWwSBmRvY3RvcloTCgF4Eg4KDAgBEggKAggBCgIIAloTCgF3Eg4KDAgBEggKAggCCgIIAmITCgF5Eg4KDAgBEggKAggBCgIIAkICEA0=",
  "base64",
);

test("the processor computes, and what it computes is looked at", async () => {
  const cpu = { runtime, provider: "cpu", model };
  expect(await tryProvider({ ...cpu, expected: "13,16" })).toMatchObject({ ok: true });
  expect(await tryProvider({ ...cpu, expected: "13,17" })).toEqual({
    ok: false,
    reason: "wrong result: 13,16, expected 13,17",
  });
});

test("a provider that there is not, and a process that dies, are reasons", async () => {
  const none = await tryProvider({ runtime, provider: "abacus", model, expected: "" });
  expect(none).toMatchObject({ ok: false, reason: expect.stringMatching(/^[^\n]*abacus[^\n]*$/) });
  const dead = "data:text/javascript,";
  expect(await tryProvider({ runtime: dead, provider: "cpu", model, expected: "" })).toMatchObject({
    ok: false,
  });
});

test.each([
  [
    "OrtSessionOptionsAppendExecutionProvider_Cuda: Failed to load shared library",
    "Failed to load shared library",
  ],
  [
    "/src/webgpu_context.cc:136 onnxruntime::X::Y()::<lambda()> status == Success was false. Failed to get a WebGPU adapter: No supported adapters.\nat Z",
    "Failed to get a WebGPU adapter: No supported adapters",
  ],
])("of %j it is said: %s", (message, said) => {
  expect(describeProvider(message)).toBe(said);
});

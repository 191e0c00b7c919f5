import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { LabError } from "../../core/error.ts";
import {
  decodeSafetensors,
  encodeSafetensors,
  type StoredTensor,
} from "../../schemas/formats/safetensors.ts";
import { importRun } from "./run.ts";

const golden = fileURLToPath(new URL("../../../golden/interop/llama/", import.meta.url));
const root = tmpFolder("broken");
writeFileSync(
  join(root, "task.yaml"),
  "task: { name: repl, variables: 3, commands: 4 }\nmodel: { name: lstm }\n",
);

const weights = "model.safetensors";
const index = "model.safetensors.index.json";
const bytes = readFileSync(join(golden, weights));
const { tensors } = decodeSafetensors(bytes, weights);
const norm = "model.norm.weight";

/** What each change needs to know: the folder, a good checkpoint at first. */
const change = (folder: string) => ({
  write: (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content),
  config(values: object) {
    const path = join(folder, "config.json");
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...values }));
  },
  tensors: (values: Record<string, StoredTensor>) =>
    writeFileSync(join(folder, weights), encodeSafetensors({ ...tensors, ...values })),
  /** The weights as shards, which an index names, or does not. */
  shards(names: readonly string[], named: readonly string[] | undefined = names) {
    for (const name of names) cpSync(join(folder, weights), join(folder, name));
    rmSync(join(folder, weights));
    const map = Object.fromEntries(named.map((name, i) => [`tensor ${i}`, name]));
    writeFileSync(join(folder, index), JSON.stringify({ weight_map: map }));
  },
  remove: (name: string) => rmSync(join(folder, name)),
  mkdir: (name: string) => mkdirSync(join(folder, name)),
});
type Change = ReturnType<typeof change>;

/** The header's length, in its first eight bytes, as another number. */
const withHeaderOf = (length: bigint) => {
  const changed = Buffer.from(bytes);
  changed.writeBigUInt64LE(length);
  return changed;
};
const floats = (shape: number[], value = 1): StoredTensor => ({
  dtype: "F32",
  shape,
  data: new Float32Array(shape.reduce((a, b) => a * b)).fill(value),
});

// biome-ignore format: one line a case
const broken: [string, (to: Change) => void, RegExp][] = [
  ["no config.json", (to) => to.remove("config.json"), /config\.json: expected an existing file, got "none"$/],
  ["a config.json that is cut off", (to) => to.write("config.json", '{"model_type": '), /config\.json: expected JSON/],
  ["no model_type, whatever the weights are", (to) => { to.config({ model_type: undefined }); to.remove(weights); }, /a model_type of .*, got "undefined"$/],
  ["an unknown setting", (to) => to.config({ router_jitter: 0.1 }), /router_jitter: expected a setting that Statelab supports, got 0\.1$/],
  ["another width", (to) => to.config({ hidden_size: 64 }), /hidden_size: expected 16, as in its tensors, got 64$/],
  ["a vocabulary of 2^53", (to) => to.config({ vocab_size: 2 ** 53 }), /vocab_size: expected 14, as in its tensors, got 9007199254740992$/],
  ["10^12 layers", (to) => to.config({ num_hidden_layers: 1e12 }), /layers/],
  ["10^12 heads", (to) => to.config({ num_attention_heads: 1e12, num_key_value_heads: 1e12 }), /heads/],
  ["no heads", (to) => to.config({ num_attention_heads: 0, num_key_value_heads: 0 }), /heads/],
  ["no weights", (to) => to.remove(weights), /expected model\.safetensors, or model\.safetensors\.index\.json with its shards, got "none"$/],
  ["a folder in place of the weights", (to) => { to.remove(weights); to.mkdir(weights); }, /model\.safetensors: expected a /],
  ["empty weights", (to) => to.write(weights, ""), /expected at least 8 bytes, got 0/],
  ["weights that are cut off", (to) => to.write(weights, bytes.subarray(0, bytes.length - 100)), /expected at least \d+ bytes, for /],
  ["a header longer than the file", (to) => to.write(weights, withHeaderOf(2n ** 60n)), /a header of at most \d+ bytes, got "1152921504606846976"/],
  ["a tensor of another type", (to) => to.tensors({ [norm]: { dtype: "I32", shape: [16], data: new Int32Array(16) } }), /model\.norm\.weight: expected F32, F64, BF16 or F16, got "I32"$/],
  ["a tensor of another shape", (to) => to.tensors({ [norm]: floats([8]) }), /model\.norm\.weight: expected shape \[16\], got \[8\]$/],
  ["a tensor that is not a number", (to) => to.tensors({ [norm]: floats([16], Number.NaN) }), /model\.norm\.weight: expected finite numbers/],
  ["an unknown tensor", (to) => to.tensors({ "model.extra": floats([2]) }), /model\.extra: expected only tensors that Statelab has/],
  ["two files without an index", (to) => { to.shards(["a.safetensors", "b.safetensors"]); to.remove(index); }, /expected model\.safetensors, or .* with its shards/],
  ["a missing shard", (to) => to.shards(["a.safetensors"], ["a.safetensors", "b.safetensors"]), /shards that are in the folder, got "b\.safetensors"$/],
  ["a tensor in two shards", (to) => to.shards(["a.safetensors", "b.safetensors"]), /b\.safetensors: expected each tensor in one file, got "/],
  ["a shard outside of the folder", (to) => to.shards(["a.safetensors"], ["../a.safetensors"]), /shards that are in the folder, got "\.\.\/a\.safetensors"$/],
  ["an index that is a list", (to) => { to.shards(["a.safetensors"]); to.write(index, "[]"); }, /a weight_map, tensor to file, got "none"$/],
  ["an index that names nothing", (to) => { to.shards(["a.safetensors"], []); }, /expected a weight_map, tensor to file, got \{\}$/],
  ["a tokenizer of another kind", (to) => to.write("tokenizer.json", '{"model":{"type":"WordPiece","vocab":{}}}'), /tokenizer\.json: expected model\.type .*"WordPiece"$/],
  ["a tokenizer without words", (to) => to.write("tokenizer.json", '{"model":{"type":"WordLevel"}}'), /tokenizer\.json, model\.vocab: expected/],
  ["a tokenizer.json that is a list", (to) => to.write("tokenizer.json", "[]"), /tokenizer\.json: expected the whole to be an object, got \[\]$/],
  ["a tokenizer.json that is cut off", (to) => to.write("tokenizer.json", '{"model": {'), /tokenizer\.json: expected JSON/],
  ["a row that the embedding does not have", (to) => to.write("tokenizer.json", JSON.stringify({ model: { vocab: { "\n": 10 ** 9 } } })), /tokenizer\.json: expected a token "\\n", got 1000000000$/],
];

test.each(broken)("%s is refused in one sentence, and nothing is written", async (_, breakIt, sentence) => {
  const folder = mkdtempSync(join(root, "checkpoint-"));
  for (const name of ["config.json", weights]) cpSync(join(golden, name), join(folder, name));
  breakIt(change(folder));
  const before = process.memoryUsage().arrayBuffers;
  const out = `${folder}-run`;
  const request = {
    checkpoint: folder,
    file: join(root, "task.yaml"),
    settings: [],
    folder: out,
    overwrite: false,
  };
  const error = await importRun(request).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(LabError);
  const { message } = error as LabError;
  expect(message).toMatch(sentence);
  expect(message.split(/\. |\n/).length).toBeLessThan(3);
  expect(message.length).toBeLessThan(400);
  expect(existsSync(out)).toBe(false);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 << 20);
});

/**
 * @file Replies in the logs of other harnesses.
 *
 *     *.eval            inspect_ai's zip: header.json, samples/ID_epoch_N.json; members are deflated, or Zstandard (method 93)
 *     *.json            inspect_ai's log, version 2: {"version": 2, "eval": {...}, "samples": [...]}
 *     samples_*.jsonl   lm-evaluation-harness: {"doc": {...}, "arguments": {"gen_args_0": {"arg_0": PROMPT}}, "resps": [["..."]]}
 *
 * Source: inspect_ai/log/_recorders/eval.py; lm_eval/loggers/evaluation_tracker.py; the zip format: PKWARE's APPNOTE.TXT, 4.3.
 */

import { inflateRawSync } from "node:zlib";
import { decompress } from "fzstd";
import { z } from "zod";
import { fail } from "../../core/error.ts";
import { parseWith } from "../../core/settings.ts";
import { BenchmarkOptions } from "../../schemas/questions.ts";
import { parseJson } from "../../storage/index.ts";

export interface SavedReply {
  readonly id: string;
  readonly prompt: string;
  /** Undefined where the sample ended without one. */
  readonly reply: string | undefined;
  readonly finish: string | null;
  /** Of samples whose questions `llm export` wrote. */
  readonly benchmark?: BenchmarkOptions | undefined;
}

const Content = z
  .union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
  .transform((content) =>
    typeof content === "string"
      ? content
      : content.map(({ type, text = "" }) => (type === "text" ? text : "")).join(""),
  );
const Message = z.looseObject({ role: z.string(), content: Content });
/** Other data sets have other values in these fields. */
const Own = z.looseObject({
  id: z.string().optional().catch(undefined),
  prompt: z.string().optional().catch(undefined),
  benchmark: BenchmarkOptions.optional().catch(undefined),
});

const InspectSample = z
  .looseObject({
    id: z.union([z.string(), z.int()]),
    input: z.union([z.string(), z.array(Message)]),
    metadata: Own.default({}),
    output: z.looseObject({
      choices: z.array(z.looseObject({ message: Message, stop_reason: z.string().nullish() })).default([]),
    }),
  })
  .transform(({ id, input, metadata, output: { choices } }): SavedReply => {
    const prompt = typeof input === "string" ? input : (input.findLast(isAsked)?.content ?? "");
    const finish = choices[0]?.stop_reason === "max_tokens" ? "length" : "stop";
    const { benchmark } = metadata;
    return { id: metadata.id ?? String(id), prompt, reply: choices[0]?.message.content, finish, benchmark };
  });
const isAsked = ({ role }: { readonly role: string }) => role === "user";
const InspectLog = z.looseObject({
  version: z.int(),
  eval: z.looseObject({}),
  samples: z.array(InspectSample),
});

const LmEvalSample = z
  .looseObject({
    doc: Own,
    filter: z.string().optional(),
    arguments: z.looseObject({ gen_args_0: z.looseObject({ arg_0: z.unknown() }) }),
    resps: z.tuple([z.array(z.string())]),
  })
  .transform(
    ({ doc: { id = "", prompt, benchmark }, filter, arguments: { gen_args_0 }, resps: [replies] }) => ({
      filter,
      replies: replies.map((reply): SavedReply => {
        return { id, prompt: prompt ?? String(gen_args_0.arg_0), reply, finish: null, benchmark };
      }),
    }),
  );

/** In the order of the log; undefined if the file has none of these formats. @throws LabError (corrupt) */
export function readReplies(bytes: Buffer, at: string): readonly SavedReply[] | undefined {
  if (isZip(bytes))
    return sampleMembers(bytes, at).map(({ name, text }) =>
      parseWith(InspectSample, parseJson(text(), `${at}, ${name}`), `${at}, ${name}`),
    );
  const text = bytes.toString("utf8");
  if (/^\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"/.test(text))
    return parseWith(InspectLog, parseJson(text, at), at).samples;
  if (!/^\{.*"doc".*"resps"/.test(text)) return undefined;
  const rows = text.split("\n").flatMap((line, i) => {
    const place = `${at}, line ${i + 1}`;
    return line.trim() === "" ? [] : [parseWith(LmEvalSample, parseJson(line, place), place)];
  });
  // each filter of a task has a line with the same replies
  return rows.filter(({ filter }) => filter === rows[0].filter).flatMap(({ replies }) => replies);
}

/** The samples of an .eval file as the JSON log with these samples; undefined if it is no zip. @throws LabError (corrupt) */
export function jsonOfEval(bytes: Buffer, at: string): string | undefined {
  if (!isZip(bytes)) return undefined;
  let log = '{"version": 2, "eval": {}, "samples": [';
  for (const [i, { text }] of sampleMembers(bytes, at).entries()) {
    log += `${i > 0 ? "," : ""}${text()}`;
    if (log.length > mostBytes) fail(at, `samples of at most ${mostBytes} bytes`, "more");
  }
  return `${log}]}`;
}

const isZip = (bytes: Buffer) => bytes.subarray(0, 2).toString("latin1") === "PK";
const sampleMembers = (bytes: Buffer, at: string) =>
  zipMembers(bytes, at).filter(({ name }) => /^samples\/.*\.json$/.test(name));

/** The largest member that is read; a log has one member for each sample. */
const mostBytes = 2 ** 28;

function zipMembers(bytes: Buffer, at: string) {
  const damaged = (got: string) => fail(at, "a whole zip file", got, undefined, "corrupt");
  const end = bytes.lastIndexOf("PK\x05\x06", undefined, "latin1");
  if (end < 0 || end + 22 > bytes.length) return damaged("one without a directory");
  let next = bytes.readUInt32LE(end + 16);
  return Array.from({ length: bytes.readUInt16LE(end + 10) }, () => {
    const entry = next;
    if (entry + 46 > bytes.length || bytes.readUInt32LE(entry) !== 0x02014b50)
      return damaged("a damaged directory");
    const method = bytes.readUInt16LE(entry + 10);
    const [packed, size] = [bytes.readUInt32LE(entry + 20), bytes.readUInt32LE(entry + 24)];
    const [nameBytes, extra, comment] = [28, 30, 32].map((field) => bytes.readUInt16LE(entry + field));
    const name = bytes.toString("utf8", entry + 46, entry + 46 + nameBytes);
    next = entry + 46 + nameBytes + extra + comment;
    const text = () => {
      const local = bytes.readUInt32LE(entry + 42);
      if (size > mostBytes || local + 30 > bytes.length) return damaged(`${name} of ${size} bytes`);
      const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
      const data = bytes.subarray(from, from + packed);
      try {
        if (method === 0) return data.toString("utf8");
        if (method === 8)
          return inflateRawSync(data, { maxOutputLength: Math.max(size, 1) }).toString("utf8");
        if (method === 93) return Buffer.from(decompress(data, new Uint8Array(size))).toString("utf8");
      } catch {
        return damaged(`damaged data of ${name}`);
      }
      return damaged(`compression method ${method} of ${name}`);
    };
    return { name, text };
  });
}

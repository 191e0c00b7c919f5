/**
 * @file The tokenizer of a language model, from its `tokenizer.json`: byte-level BPE, BPE and Unigram, with the ids of Hugging Face's library.
 *
 *     >>> print('a', a)\na 1\n        [>>>] [ print] [('] [a] [',] [ a] [)] [\n] [a] [ 1] [\n]
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { parseWith } from "../core/settings.ts";
import type { Tokenizer } from "./tokenizer.ts";

export interface FileTokenizer extends Tokenizer {
  /** `bytes` has one character per byte of the text (UTF-8), and token i ends before byte ends[i]. */
  split(text: string): { readonly bytes: string; readonly ids: number[]; readonly ends: number[] };
}

const Step = z.looseObject({ type: z.string() });
/** The library makes arrays of the largest id. */
const Id = z
  .int()
  .min(0)
  .max(2 ** 20);
const TokenizerFile = z.looseObject({
  model: z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("BPE"), vocab: z.record(z.string(), Id) }),
    z.looseObject({ type: z.literal("Unigram"), vocab: z.array(z.tuple([z.string(), z.number()])).min(1) }),
  ]),
  decoder: Step.extend({ decoders: z.array(Step).optional() }).nullish(),
  added_tokens: z.array(z.looseObject({ id: Id, content: z.string() })),
});

/** @param at names the parsed file in errors. Errors: LabError for another kind of model or a damaged file. */
export async function fileTokenizer(file: unknown, at: string): Promise<FileTokenizer> {
  const { decoder } = parseWith(TokenizerFile, file, at);
  const { Tokenizer } = await import("@huggingface/tokenizers");
  let library: InstanceType<typeof Tokenizer>;
  let whole: number[]; // an "a" with the tokens that are put before and after every text
  try {
    library = new Tokenizer(file as object, {}); // an object, by its schema
    whole = library.encode("a").ids;
  } catch (error) {
    return fail(at, "a tokenizer.json of Hugging Face", String(error), undefined, "corrupt");
  }
  const size = 1 + [...library.get_vocab().values()].reduce((most, id) => Math.max(most, id), -1);
  const names = Array.from({ length: size }, (_, id) => library.id_to_token(id) ?? `<unused ${id}>`);
  const steps = [decoder, ...(decoder?.decoders ?? [])].map((step) => step?.type);
  const added = library.get_added_tokens_decoder();
  const pieces = names.map((name, id) => (added.has(id) ? bytesOf(name) : bytesOfToken(name, steps)));
  const plain = (text: string): number[] => library.encode(text, { add_special_tokens: false }).ids;
  const spell = (ids: readonly number[]) => ids.map((id) => pieces[id]).join(""); // nothing for an unknown character
  const probe = plain("a");
  const start = whole.findIndex((_, i) => probe.every((id, j) => whole[i + j] === id));
  if (start < 0) fail(at, "a post_processor that adds tokens before or after those of a text", whole);
  const [before, after] = [whole.slice(0, start), whole.slice(start + probe.length)];
  const space = spell(probe) === " a" ? " " : ""; // some models put one before every text

  const split: FileTokenizer["split"] = (text) => {
    const bytes = bytesOf(text);
    const own = plain(text);
    const spelled = spell(own);
    const lead = spelled.length - bytes.length;
    if (spelled !== bytes && spelled !== ` ${bytes}`) {
      const place = firstDifference(spelled, space + bytes);
      fail(at, "a text that its tokens spell", textOf(bytes.slice(Math.max(0, place - 20), place + 20)));
    }
    let end = -lead;
    const ends = own.map((id) => {
      end += pieces[id].length;
      return end;
    });
    const ids = [...before, ...own, ...after];
    return { bytes, ids, ends: [...before.map(() => 0), ...ends, ...after.map(() => end)] };
  };
  return {
    kind: "file",
    file: file as object, // by its schema
    tokens: distinctTexts(names, pieces),
    split,
    encode: (text) => split(text).ids,
    decode(ids) {
      const list = [...ids];
      const own = before.every((id, i) => list[i] === id) ? list.slice(before.length) : list;
      const unknown = own.find((id) => pieces[id] === undefined);
      if (unknown !== undefined) fail(at, `ids from 0 to ${size - 1}`, unknown);
      const bytes = spell(own);
      return textOf(bytes.startsWith(space) ? bytes.slice(space.length) : bytes);
    },
  };
}

function firstDifference(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return i;
}

const bytesOf = (text: string) =>
  Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");

export const textOf = (bytes: string, fatal = false) =>
  new TextDecoder("utf-8", { fatal }).decode(Uint8Array.from(bytes, (each) => each.charCodeAt(0)));

/** What a token adds to a text, by the steps of the decoder. */
function bytesOfToken(name: string, steps: readonly (string | undefined)[]): string {
  if (steps.includes("ByteLevel"))
    return Array.from(name, (each) => (each < "\u0100" ? each : hiddenBytes[each.charCodeAt(0) - 256])).join(
      "",
    );
  const [, byte] = /^<0x([0-9A-F]{2})>$/.exec(name) ?? [];
  if (byte !== undefined && steps.includes("ByteFallback"))
    return String.fromCharCode(Number.parseInt(byte, 16));
  const hasSpaces = steps.includes("Metaspace") || steps.includes("Replace");
  return bytesOf(hasSpaces ? name.replaceAll("▁", " ") : name);
}

/** Bytes that GPT-2's alphabet writes as the characters from 256 on: those that are not printed. */
const hiddenBytes = Array.from({ length: 256 }, (_, byte) => byte)
  .filter((byte) => byte <= 32 || (byte >= 127 && byte <= 160) || byte === 173)
  .map((byte) => String.fromCharCode(byte));

/** The text of each token, or its name in the file where the bytes are a part of a character or another token has that text. */
function distinctTexts(names: readonly string[], pieces: readonly string[]): string[] {
  const texts: string[] = [];
  const used = new Set<string>();
  // A byte gives way to the token of that character.
  const isByte = (id: number) => Number(names[id].startsWith("<0x"));
  for (const id of [...names.keys()].sort((a, b) => isByte(a) - isByte(b))) {
    let text = names[id];
    try {
      text = textOf(pieces[id], true);
    } catch {} // a part of a character
    texts[id] = [text, names[id]].find((each) => each !== "" && !used.has(each)) ?? `<${id}>`;
    used.add(texts[id]);
  }
  return texts;
}

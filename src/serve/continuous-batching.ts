/**
 * @file Continuous batching: sequences of many requests share the slots of one decoder, a token each per step.
 *
 *     await engine.run([{ prompt: [5, 2, 9], read: (logits, at) => ... }], signal)
 *
 * Free slots go to requests in turn, one sequence each, so that a request of a hundred sequences delays one of a single sequence by one
 * turn. A quarter of the slots is reserved for short sequences. Before a step every slot with a long prompt prefills one chunk of it,
 * if the model can (`readsAhead`), which bounds the delay of the others. The chunks of a prompt depend only on the prompt, and so do
 * its numbers.
 */

import type { Decoder } from "../train/decoder.ts";

export interface Sequence {
  /** At least one token. */
  readonly prompt: readonly number[];
  /** Maximum total length, including the prompt; unknown if left out. */
  readonly tokens?: number;
  /**
   * Called with the logits after token `at`, valid during the call. From the prompt's last token on it returns the next token;
   * undefined ends the sequence.
   */
  read(logits: Float32Array, at: number): number | undefined;
}

export interface Engine {
  /** Requests without a started sequence. */
  readonly waiting: number;
  /** Whether one more sequence would start at the next step. */
  isFree(): boolean;
  /** Resolves when every sequence has ended. Rejects with the signal's reason when it aborts, and frees the slots. */
  run(sequences: readonly Sequence[], signal: AbortSignal): Promise<void>;
  /** Number of slots in use. */
  readonly busy: number;
}

interface Request {
  readonly pending: Sequence[];
  running: number;
  begun: boolean;
  over: boolean;
  readonly end: (error?: unknown) => void;
}

interface Slot {
  readonly request: Request;
  readonly sequence: Sequence;
  /** The next input token and its position. */
  token: number;
  at: number;
}

/** Maximum length of a short sequence, prompt and reply. */
const shortTokens = 256;

export function createEngine(decoder: Decoder): Engine {
  const forShort = Math.floor(decoder.slots / 4);
  const slots = new Array<Slot | undefined>(decoder.slots).fill(undefined);
  const turns: Request[] = []; // requests with pending sequences, in turn
  let working = false;

  function fillSlots(): void {
    for (let i = 0; i < slots.length; i++) {
      if (slots[i]?.request.over) slots[i] = undefined;
      if (slots[i] !== undefined) continue;
      const place =
        i < forShort
          ? turns.findIndex(
              ({ pending: [{ tokens }] }) => (tokens ?? Number.POSITIVE_INFINITY) <= shortTokens,
            )
          : 0;
      const [request] = place < 0 ? [] : turns.splice(place, 1);
      if (request === undefined) continue;
      const sequence = request.pending.shift()!; // listed requests have at least one
      if (request.pending.length > 0) turns.push(request);
      request.running++;
      request.begun = true;
      slots[i] = { request, sequence, token: sequence.prompt[0], at: 0 };
      decoder.clear(i);
    }
  }

  function read(slot: Slot, logits: Float32Array): boolean {
    const { request, sequence, at } = slot;
    const next = sequence.read(logits, at);
    const isPrompt = at + 1 < sequence.prompt.length;
    const token = isPrompt ? sequence.prompt[at + 1] : next;
    slot.at++;
    if (token !== undefined) {
      slot.token = token;
      return true;
    }
    request.running--;
    if (request.running === 0 && request.pending.length === 0) request.end();
    return false;
  }

  /** One chunk of the slot's prompt, if more than a chunk is left. */
  async function readChunk(slot: Slot, i: number): Promise<void> {
    const { request, sequence, at } = slot;
    const { chunk, vocabulary } = decoder;
    if (!decoder.readsAhead || at + chunk >= sequence.prompt.length) return;
    const logits = await decoder.read(i, sequence.prompt.slice(at, at + chunk), at);
    if (request.over) return;
    try {
      for (let row = 0; row < chunk; row++)
        read(slot, logits.subarray(row * vocabulary, (row + 1) * vocabulary));
    } catch (error) {
      request.end(error);
    }
  }

  async function work(): Promise<void> {
    for (;;) {
      fillSlots();
      if (slots.every((slot) => slot === undefined)) return;
      for (const [i, slot] of slots.entries()) if (slot) await readChunk(slot, i);
      for (const [i, slot] of slots.entries()) {
        decoder.tokens[i] = slot?.token ?? 0;
        decoder.positions[i] = slot?.at ?? 0;
      }
      const logits = await decoder.step();
      for (const [i, slot] of slots.entries()) {
        if (slot === undefined || slot.request.over) continue;
        const own = logits.subarray(i * decoder.vocabulary, (i + 1) * decoder.vocabulary);
        try {
          if (!read(slot, own)) slots[i] = undefined;
        } catch (error) {
          slot.request.end(error);
        }
      }
    }
  }

  function begin(): void {
    if (working) return;
    working = true;
    work()
      .catch((error) => {
        for (const request of [...turns, ...slots.flatMap((slot) => slot?.request ?? [])]) request.end(error);
        slots.fill(undefined);
      })
      .finally(() => {
        working = false;
        if (turns.length > 0) begin(); // arrived during the last step
      });
  }

  return {
    get waiting() {
      return turns.filter((request) => !request.begun).length;
    },
    get busy() {
      return slots.filter((slot) => slot !== undefined && !slot.request.over).length;
    },
    isFree() {
      const queued = turns.reduce((total, { pending }) => total + pending.length, 0);
      return this.busy + queued < slots.length;
    },
    run(sequences, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        if (sequences.length === 0) return resolve();
        const request: Request = {
          pending: [...sequences],
          running: 0,
          begun: false,
          over: false,
          end(error) {
            if (request.over) return;
            request.over = true;
            signal.removeEventListener("abort", stop);
            const place = turns.indexOf(request);
            if (place >= 0) turns.splice(place, 1);
            if (error === undefined) resolve();
            else reject(error);
          },
        };
        const stop = () => request.end(signal.reason ?? new Error("aborted"));
        signal.addEventListener("abort", stop, { once: true });
        turns.push(request);
        begin();
      });
    },
  };
}

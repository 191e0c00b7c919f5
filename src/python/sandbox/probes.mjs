/**
 * @file Detects at the C level when a program depends on the word size, the hash seed, the C library or the machine.
 *
 *     147 ** (a - b)      float_pow, entry 691 of WebAssembly's table of functions      libm is noted
 *
 * Python calls its functions through that table. The entries named by lab/probes.py are replaced by functions that
 * note a kind in a buffer of Python's, or first call a function of the tracer, and then call the original. No Python
 * object changes.
 */

/** Places in the buffer, as in lab/probes.py. */
const GATE = 0;
const WORDS = 2;
const SEED = 3;
const ADDRESSES = 4;
const STARRED = 6;
/** A larger set is judged by so many places of its table. */
const mostPlaces = 4096;

/** Offsets in the objects of a CPython 3.14 with words of 32 bits. */
const typeOf = 4;
const tuple = { size: 8, items: 16 };
const set = { used: 12, mask: 16, table: 20 };
const removed = 0xffffffff; // the hash that no value has
const typeHash = 60;
const typeAlloc = 152;

/** Exchanges the entries; `given` is what lab/probes.py wrote. */
export function installProbes(module, given) {
  const { wasmTable } = module;
  const word = (place) => module.HEAPU32[place >>> 2];
  const notes = word(given.notes + 20); // ob_start of a bytearray
  const note = (kind) => {
    if (module.HEAPU8[notes + GATE]) module.HEAPU8[notes + kind] = 1;
  };
  const follow = ([from, ...offsets]) => offsets.reduce((place, offset) => word(place + offset), from);
  const hashes = new Map(given.hashes.map(([name, type]) => [word(type + typeHash), name]));
  /** Inputs to the hashes of the program's classes. */
  const own = new Set();
  let inOwnHash = 0;

  /** The kinds to note for a value's hash. */
  function* kindsOf(value, depth = 0) {
    const name = hashes.get(word(word(value + typeOf) + typeHash));
    if (depth > 20) yield* [WORDS, SEED];
    else if (name === "int") {
      if (word(value + 8) >>> 3 > 1) yield WORDS;
    } else if (name === "float") {
      const number = module.HEAPF64[(value + 8) >>> 3];
      if (!Number.isInteger(number) || Math.abs(number) >= 2 ** 30) yield WORDS;
    } else if (name === "text") yield* [WORDS, SEED];
    else if (name === "address") yield ADDRESSES;
    else if (name === "own") yield* own;
    else if (name === "tuple") {
      yield WORDS;
      for (let i = 0; i < word(value + tuple.size); i++)
        yield* kindsOf(word(value + tuple.items + 4 * i), depth + 1);
    } else if (name === "frozenset") {
      yield WORDS;
      yield* kindsOfMembers(value, depth + 1);
    } else yield* [WORDS, SEED];
  }

  function* kindsOfMembers(value, depth) {
    const places = word(value + set.mask) + 1;
    const table = word(value + set.table);
    const stride = Math.ceil(places / mostPlaces);
    for (let i = 0; i < places; i += stride) {
      const key = word(table + 8 * i);
      if (key !== 0 && word(table + 8 * i + 4) !== removed) yield* kindsOf(key, depth);
    }
  }

  /** Notes what the order of a set depends on; of other objects nothing. */
  function noteOrder(value) {
    if (!module.HEAPU8[notes + GATE] || !isSet(value) || word(value + set.used) < 2) return;
    const missing = [WORDS, SEED, ADDRESSES].some((kind) => !module.HEAPU8[notes + kind]);
    if (missing) for (const kind of kindsOfMembers(value, 0)) note(kind);
  }
  const isSet = (value) => value !== 0 && given.sets.includes(word(value + typeOf));

  /** Calls a function of the tracer. 0: no answer. */
  function ask(callback, values) {
    const gate = module.HEAPU8[notes + GATE];
    module.HEAPU8[notes + GATE] = 0;
    const vector = module._malloc(4 * values.length + 4);
    for (const [i, value] of values.entries()) module.HEAPU32[(vector >>> 2) + i] = value;
    const answer = module._PyObject_Vectorcall(callback, vector, values.length, 0);
    module._free(vector);
    if (answer === 0) module._PyErr_Clear();
    module.HEAPU8[notes + GATE] = gate;
    return answer === given.none ? 0 : answer;
  }

  const vectorOf = (place, count) =>
    Array.from({ length: count & 0x7fffffff }, (_, i) => word(place + 4 * i));
  /** Calling conventions of C functions. */
  const shapes = {
    one: ([self, value]) => [self, value],
    none: ([self]) => [self],
    tuple: ([self, values]) => [self, ...vectorOf(values + tuple.items, word(values + tuple.size))],
    vector: ([self, values, count, names]) => [
      self,
      ...vectorOf(values, (count & 0x7fffffff) + (names ? word(names + tuple.size) : 0)),
    ],
  };

  /** By the method's flags: METH_FASTCALL, METH_O, METH_NOARGS. */
  const shapeOf = (flags) => (flags & 0x80 ? "vector" : flags & 8 ? "one" : flags & 4 ? "none" : "tuple");

  /** For four arguments at most: WebAssembly ignores extra arguments, and argument lists are slow. */
  const kinds = {
    note:
      ({ notes: noted }, original) =>
      (a, b, c, d) => {
        for (const kind of noted) note(kind);
        return original(a, b, c, d);
      },
    order:
      ({ argument }, original) =>
      (a, b, c, d) => {
        noteOrder(argument === 0 ? a : b);
        return original(a, b, c, d);
      },
    orderOfVector:
      ({ argument, named }, original) =>
      (self, vector, count, names) => {
        if ((count & 0x7fffffff) > argument && (!named || names)) noteOrder(word(vector + 4 * argument));
        return original(self, vector, count, names);
      },
    hash: (_, original) => (self, value) => {
      if (module.HEAPU8[notes + GATE]) {
        for (const kind of kindsOf(value)) {
          if (inOwnHash > 0) own.add(kind);
          else {
            note(kind);
            note(WORDS);
          }
        }
      }
      return original(self, value);
    },
    ownHash: (_, original) => (self) => {
      inOwnHash++;
      try {
        return original(self);
      } finally {
        inOwnHash--;
      }
    },
    /** An answer replaces the function's result: an ellipsis means None. */
    ask:
      ({ callback, shape }, original) =>
      (a, b, c, d) => {
        const answer = module.HEAPU8[notes + GATE] ? ask(callback, shapes[shape]([a, b, c, d])) : 0;
        if (answer === given.ellipsis) return given.none;
        return answer === 0 ? original(a, b, c, d) : answer;
      },
    /** For types that are called: only the intended ones. */
    askOf:
      ({ callbacks }, original) =>
      (type, values, count, names) => {
        if (type in callbacks && module.HEAPU8[notes + GATE])
          ask(callbacks[type], shapes.vector([type, values, count, names]));
        return original(type, values, count, names);
      },
    /** A tuple replaces the arguments, for all calls including the tracer's. */
    rewrite:
      ({ callback }, original) =>
      (self, values, names) => {
        const answer = ask(callback, [values]);
        return original(self, answer === 0 ? values : answer, names);
      },
  };

  const exchanged = new Set();
  for (const { path, kind, ...rest } of given.probes) {
    const index = follow(path);
    if (exchanged.has(`${index} ${kind}`)) continue; // several types share it
    exchanged.add(`${index} ${kind}`);
    if (index >= wasmTable.length)
      throw new Error(`no function at ${path} for ${kind} ${JSON.stringify(rest)}`);
    const original = wasmTable.get(index);
    if (rest.shape === "method") rest.shape = shapeOf(word(follow(path.slice(0, -1)) + 8));
    wasmTable.set(index, asEntry(kinds[kind](rest, original), original.length, 1));
  }

  /** Sets that live: a display with a star, [*xs], reads one without a call. */
  const live = new Set();
  const noteStarred = (value) => {
    if (module.HEAPU8[notes + STARRED]) noteOrder(value);
  };
  for (const type of given.sets) {
    const allocate = wasmTable.get(word(type + typeAlloc));
    const own = wasmTable.grow(1);
    const allocated = (kind, size) => {
      const value = allocate(kind, size);
      if (module.HEAPU8[notes + GATE]) live.add(value);
      return value;
    };
    wasmTable.set(own, asEntry(allocated, 2, 1));
    module.HEAPU32[(type + typeAlloc) >>> 2] = own;
  }
  const end = word(given.sets[0] + 24);
  const ended = wasmTable.get(end);
  const deallocate = (value) => {
    if (live.delete(value)) noteStarred(value);
    return ended(value);
  };
  wasmTable.set(end, asEntry(deallocate, 1, 0));

  return {
    clock: {
      read: () => module.HEAPF64[(notes + 16) >>> 3],
      set: (seconds) => {
        module.HEAPF64[(notes + 16) >>> 3] = seconds;
      },
    },
    note,
    finish() {
      const gate = module.HEAPU8[notes + GATE];
      module.HEAPU8[notes + GATE] = 1;
      live.forEach(noteStarred);
      module.HEAPU8[notes + GATE] = gate;
    },
    begin() {
      live.clear();
      own.clear();
      inOwnHash = 0;
    },
  };
}

/** Wraps a JavaScript function as a WebAssembly function with word parameters: the table accepts only those. */
function asEntry(call, parameters, results) {
  const words = (count) => [count, ...Array.from({ length: count }, () => 0x7f)];
  const type = [1, 0x60, ...words(parameters), ...words(results)];
  const imported = [1, 1, 0x65, 1, 0x66, 0, 0]; // e.f
  const exported = [1, 1, 0x66, 0, 0]; // f
  const section = (id, bytes) => [id, bytes.length, ...bytes];
  const bytes = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0].concat(
    section(1, type),
    section(2, imported),
    section(7, exported),
  );
  return new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(bytes)), { e: { f: call } }).exports
    .f;
}

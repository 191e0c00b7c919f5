/**
 * @file Saves the state of a loaded interpreter and restores it before every run, so that runs cannot affect each
 * other.
 *
 *     memory     WebAssembly's own: every object, module and setting of Python      compared, and written back
 *     files      nodes, names, descriptors, pipes, the working folder               in JavaScript: put back one by one
 *     process    the mask of new files, timers                                      in Node: put back
 *
 * If restoring is impossible (a grown function table, much more memory), the interpreter is `spent`.
 */

const blockBytes = 16_384;
/** Memory that a program made grow stays with the process, to be cleared each time: beyond this it is not worth it. */
const growthBytes = 64 * 2 ** 20;

/** The page (web/python/python.worker.ts) saves memory differently, and has no umask. */
export function keepState(
  module,
  setTimer,
  { keepMemory = compareMemory, umask = (mask) => process.umask(mask) } = {},
) {
  const memory = module.HEAPU8.slice();
  const restoreMemory = keepMemory(memory);
  const tableLength = module.wasmTable.length;
  const stack = module._emscripten_stack_get_current();
  const mask = umask();
  const { FS, MEMFS, PIPEFS, SOCKFS, TTY } = module;
  const restoreObjects = keepObjects([FS, MEMFS, PIPEFS, SOCKFS, TTY]);
  return {
    restore() {
      restoreMemory(module.HEAPU8);
      module.stackRestore(stack);
      restoreObjects();
      for (const timer of [0, 1, 2]) setTimer(timer, 0);
      umask(mask);
    },
    isSpent: () =>
      module.wasmTable.length !== tableLength || module.HEAPU8.length > memory.length + growthBytes,
  };
}

/**
 * Blocks that ever changed are written back each time; the others are compared, which is cheaper, and empty ones
 * without reading the copy. Grown memory is cleared.
 */
function compareMemory(before) {
  const empty = Buffer.alloc(blockBytes);
  const kept = Buffer.from(before.buffer);
  const starts = Array.from({ length: Math.ceil(before.length / blockBytes) }, (_, i) => i * blockBytes);
  const blocks = starts.map((start) => {
    const end = Math.min(start + blockBytes, before.length);
    const isEmpty = kept.compare(empty, 0, end - start, start, end) === 0;
    return { start, end, isEmpty, changes: false };
  });
  return (memory) => {
    const now = Buffer.from(memory.buffer, memory.byteOffset, memory.length);
    for (const block of blocks) {
      const { start, end, isEmpty } = block;
      const [other, from] = isEmpty ? [empty, 0] : [kept, start];
      block.changes ||= now.compare(other, from, from + end - start, start, end) !== 0;
      if (block.changes) memory.set(before.subarray(start, end), start);
    }
    memory.fill(0, before.length);
  };
}

/**
 * Saves everything reachable from these objects through own properties: file nodes, name tables, open descriptors,
 * counters. Bytes are not compared: initial files cannot be written to (files.mjs).
 */
function keepObjects(roots) {
  const reached = new Set(roots);
  const kept = [];
  // The set grows while it is walked.
  for (const object of reached) {
    if (ArrayBuffer.isView(object)) continue;
    const keys = Reflect.ownKeys(object);
    const properties = keys.map((key) => Object.getOwnPropertyDescriptor(object, key));
    const variables = keys.flatMap((key, i) => (properties[i].writable ? [[key, properties[i].value]] : []));
    for (const [, value] of variables)
      if (typeof value === "function" || (typeof value === "object" && value !== null)) reached.add(value);
    kept.push({ object, keys, properties, variables });
  }
  return () => {
    for (const { object, keys, properties, variables } of kept) {
      const now = Reflect.ownKeys(object);
      // The order of names is that in which a folder lists them.
      if (now.length !== keys.length || now.some((key, i) => key !== keys[i])) {
        for (const key of now) Reflect.deleteProperty(object, key);
        for (const [i, key] of keys.entries()) Object.defineProperty(object, key, properties[i]);
      } else for (const [key, value] of variables) if (object[key] !== value) object[key] = value;
    }
  };
}

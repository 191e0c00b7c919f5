/**
 * @file The state of a loaded interpreter, kept so that every run begins in it: what one leaves behind no other sees.
 *
 *     memory     WebAssembly's own: every object, module and setting of Python      compared, and written back
 *     files      nodes and their contents, names, descriptors, the working folder   in JavaScript: put back one by one
 *     process    the mask of new files, timers                                      in Node: put back
 *
 * What cannot be put back, a table of functions that has grown or far more memory, makes an interpreter `spent`.
 */

const blockBytes = 16_384;
/** Memory that a program made grow stays with the process, to be cleared each time: beyond this it is not worth it. */
const growthBytes = 64 * 2 ** 20;

/** Outside of Node (web/python/python.worker.ts) memory is kept by another way, and there is no mask. */
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
  const kept = keepFiles(module.FS);
  const terminals = module.TTY.ttys
    .filter(Boolean)
    .map((terminal) => ({ terminal, input: [...terminal.input], output: [...terminal.output] }));
  return {
    restore() {
      restoreMemory(module.HEAPU8);
      module.stackRestore(stack);
      kept.restore();
      for (const { terminal, input, output } of terminals) Object.assign(terminal, { input, output });
      for (const timer of [0, 1, 2]) setTimer(timer, 0);
      umask(mask);
    },
    /** A file's contents that are kept must not change in place. */
    beforeWriting(node) {
      if (kept.contents.has(node.contents)) node.contents = node.contents.slice();
    },
    isSpent: () =>
      module.wasmTable.length !== tableLength || module.HEAPU8.length > memory.length + growthBytes,
  };
}

/**
 * A block that was ever found changed is written back each time; the others are read, which is cheaper, and where they
 * are empty without reading the copy as well. What has grown is cleared.
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

const nodeFields = ["name", "parent", "mount", "mounted", "mode", "atime", "mtime", "ctime", "rdev", "link"];
const fileFields = ["contents", "usedBytes"];

function keepFiles(files) {
  const nodes = new Map();
  const names = files.nameTable.map((node) => node);
  for (const first of names) for (let node = first; node; node = node.name_next) keepNode(nodes, node);
  const { currentPath, nextInode } = files;
  const streams = files.streams.map(
    (stream) => stream && { stream, shared: stream.shared, ...stream.shared },
  );
  const contents = new Set([...nodes.values()].map(({ fields }) => fields.contents));
  const restore = () => {
    for (const [node, before] of nodes) {
      Object.assign(node, before.fields);
      if (before.entries !== undefined) node.contents = { ...before.entries };
    }
    files.nameTable = names.map((node) => node);
    files.currentPath = currentPath;
    files.nextInode = nextInode;
    files.streams.length = 0;
    for (const [descriptor, kept] of streams.entries()) {
      if (!kept) continue;
      const { stream, shared, ...values } = kept;
      stream.shared = Object.assign(shared, values);
      stream.fd = descriptor;
      files.streams[descriptor] = stream;
    }
  };
  return { restore, contents };
}

function keepNode(nodes, node) {
  const isFolder = (node.mode & 0o170000) === 0o040000;
  const kept = ["name_next", "id", ...nodeFields, ...(isFolder ? [] : fileFields)].filter(
    (field) => field in node,
  );
  nodes.set(node, {
    fields: Object.fromEntries(kept.map((field) => [field, node[field]])),
    ...(isFolder && node.contents && { entries: { ...node.contents } }),
  });
}

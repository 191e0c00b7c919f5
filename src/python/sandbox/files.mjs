/**
 * @file The file system that programs of the embedded host see: what is fixed, what they may write, and what that costs.
 *
 *     /lib, /dev, /proc, /lab/looks, ...       fixed: the standard library and the devices change for no program
 *     /tmp, /home/pyodide, /dev/shm, /lab      may be written; charged, and put back after the request (memory-reset.mjs)
 *     /dev/tty                                 no terminal; the streams of this process have no name in here
 *
 * Emscripten offers many calls that write (write, pwrite, writev, truncate, fallocate, msync, munmap, rename, utime, chmod, ...). All of
 * them end in the few functions that are wrapped here: those that make, move and remove nodes, and those that fill one.
 */

const fileBytes = 64 * 2 ** 20;
/** JavaScript memory of a file, a folder or an end of a pipe, in addition to its name. */
const nodeBytes = 1024;
/** Capacity of a pipe on Linux. */
const pipeBytes = 65_536;
const writable = ["/tmp", "/home/pyodide", "/dev/shm", "/dev/shm/tmp", "/lab"];
/** fcntl: the commands, and the flags that Linux lets F_SETFL change. */
const nonBlocking = 0o4000;
const [duplicate, setFlags, changeable] = [0, 4, 0o62000 | 0o2000 | nonBlocking];

/** Linux limits: bytes of a name, and of a path with its terminating zero. */
const [nameBytes, pathBytes] = [255, 4096];

/**
 * Called once, when all files are there; they are all of the moment `since`. `random(place, length)` fills WebAssembly's memory,
 * `blocks()` hears where Linux would wait for another process.
 */
export function sealFiles(module, since, random, blocks) {
  const { FS, MEMFS, PIPEFS } = module;
  let held = 0;
  const fail = (name) => {
    throw new FS.ErrnoError(module.ERRNO_CODES[name]);
  };
  const charge = (bytes) => {
    if (held + bytes > fileBytes) fail("ENOSPC");
    held += bytes;
  };
  const before = (functions, name, check) => {
    const original = functions[name];
    functions[name] = (...values) => {
      check(...values);
      return original.apply(functions, values);
    };
  };

  closeTerminals(module, fail);
  for (const name of ["random", "urandom"]) {
    FS.registerDevice(FS.lookupPath(`/dev/${name}`).node.rdev, {
      read(_stream, buffer, offset, length) {
        if (buffer === module.HEAP8) random(offset, length);
        return length;
      },
      write: (_stream, _buffer, _offset, length) => length,
    });
  }

  const fixed = new Set();
  for (const first of FS.nameTable) for (let node = first; node; node = node.name_next) fixed.add(node);
  for (const node of fixed) Object.assign(node, { atime: since, mtime: since, ctime: since });
  for (const path of writable) fixed.delete(FS.lookupPath(path).node);
  for (const node of fixed) if (!FS.isChrdev(node.mode)) node.mode &= ~0o222;

  /** The files of requests and answers. */
  const isWay = ({ name, parent }) => (name === "request" || name === "reply") && isLab(parent);
  const isLab = (node) => node?.name === "lab" && node.parent === FS.root;
  const resize = (node, size) => {
    if (fixed.has(node)) fail("EROFS");
    if (!isWay(node)) charge(size - node.usedBytes);
  };
  const write = ({ node }, _buffer, _offset, length, position) =>
    resize(node, length > 0 ? Math.max(node.usedBytes, position + length) : node.usedBytes);
  const change = (parent, name) => {
    const found = FS.nameTable[FS.hashName(parent.id, name)];
    for (let node = found; node; node = node.name_next)
      if (node.parent === parent && node.name === name && fixed.has(node)) fail("EROFS");
    if (fixed.has(parent)) fail("EROFS");
  };
  const { dir, file, link, chrdev } = MEMFS.ops_table;
  before(FS, "createNode", (parent, name) => isWay({ name, parent }) || charge(nodeBytes + 2 * name.length));
  before(MEMFS, "createNode", (parent) => fixed.has(parent) && fail("EROFS"));
  before(MEMFS, "resizeFileStorage", resize);
  for (const { node } of [dir, file, link, chrdev])
    before(node, "setattr", (changed) => fixed.has(changed) && fail("EPERM"));
  for (const functions of [MEMFS.stream_ops, file.stream]) before(functions, "write", write);
  before(dir.node, "unlink", change);
  before(dir.node, "rmdir", change);
  before(dir.node, "rename", ({ parent, name }, newParent, newName) => {
    change(parent, name);
    change(newParent, newName);
    charge(2 * newName.length);
  });
  before(dir.node, "symlink", (_parent, _name, target) => charge(2 * target.length));

  const { createPipe } = PIPEFS;
  PIPEFS.createPipe = () => {
    charge(PIPEFS.BUCKET_BUFFER_SIZE);
    const made = createPipe();
    FS.getStream(made.readable_fd).node.pipe.timestamp = new Date(Date.now()); // pinned, like those of files
    return made;
  };
  const bytesIn = ({ buckets }) => buckets.reduce((sum, { offset, roffset }) => sum + offset - roffset, 0);
  const isOpen = (pipe, end) =>
    FS.streams.some((stream) => stream?.node?.pipe === pipe && (stream.flags & 3) === end);
  const wait = ({ flags }) => {
    if (!(flags & nonBlocking)) blocks();
    fail("EAGAIN");
  };
  const { read } = PIPEFS.stream_ops;
  PIPEFS.stream_ops.read = (stream, buffer, offset, length, ...rest) => {
    const { pipe } = stream.node;
    if (length > 0 && bytesIn(pipe) === 0) {
      if (!isOpen(pipe, 1)) return 0;
      wait(stream);
    }
    return read(stream, buffer, offset, length, ...rest);
  };
  before(PIPEFS.stream_ops, "write", (stream, _buffer, _offset, length) => {
    const { pipe } = stream.node;
    if (!isOpen(pipe, 0)) fail("EPIPE");
    if (bytesIn(pipe) + length > pipeBytes) wait(stream);
  });

  const bytesOf = (text) => new TextEncoder().encode(text).length;
  before(FS, "lookupPath", (path) => {
    if (typeof path !== "string" || path.length * 3 <= nameBytes) return;
    if (bytesOf(path) >= pathBytes || path.split("/").some((name) => bytesOf(name) > nameBytes))
      fail("ENAMETOOLONG");
  });

  return {
    /** Starts counting the memory of files for the next program. */
    reset() {
      held = 0;
    },
  };
}

/** Emscripten's terminals read and write the streams of this process. */
function closeTerminals({ FS, TTY }, fail) {
  FS.unlink("/dev/tty1");
  delete FS.devices[FS.makedev(6, 0)];
  FS.registerDevice(FS.makedev(5, 0), {
    open({ fd }) {
      FS.closeStream(fd);
      fail("ENXIO");
    },
  });
  TTY.ttys.length = 0;
}

/** Enforces Linux's rules: Emscripten allows writing to descriptors opened for reading, and unlimited descriptors. */
export function fcntl({ FS, HEAP32, ERRNO_CODES }, original, [descriptor, command, place]) {
  const argument = HEAP32[place >>> 2];
  if (command === duplicate && argument >= FS.MAX_OPEN_FDS) return -ERRNO_CODES.EINVAL;
  const stream = FS.getStream(descriptor);
  if (command !== setFlags || !stream) return original(descriptor, command, place);
  stream.flags = (stream.flags & ~changeable) | (argument & changeable);
  return 0;
}

/**
 * @file A seccomp filter of system calls by which a program could use memory that is not visible from outside.
 *
 *     memfd_create("x")                                    blocked: the file may be in transit through a socket, open in no process
 *     setsockopt(s, SOL_SOCKET, SO_SNDBUF, 1 << 30)        blocked, so sockets have the system's default buffers
 *     fcntl(pipe, F_SETPIPE_SZ, 1 << 20)                   blocked, so the capacity of a pipe is 64 KiB
 *
 * A program that makes one of these calls is killed: an error code would be a value that ordinary Linux does not
 * return. Statements are 8 bytes: code (16 bits), jump offsets if true and if false (8 each), a constant (32).
 *
 * Source: linux/seccomp.h, linux/filter.h, and the kernel's tables of system calls.
 */

interface Machine {
  readonly architecture: number;
  /** Calls of the same number in another table (x32). */
  readonly otherTable?: number;
  readonly closed: Readonly<Record<string, number>>;
  readonly fcntl: number;
  readonly setsockopt: number;
  readonly socket: number;
  readonly socketpair: number;
}

const machines: Readonly<Partial<Record<NodeJS.Architecture, Machine>>> = {
  x64: {
    ...{
      architecture: 0xc000003e,
      otherTable: 0x40000000,
      fcntl: 72,
      setsockopt: 54,
      socket: 41,
      socketpair: 53,
    },
    closed: {
      ...{ memfd_create: 319, memfd_secret: 447, shmget: 29, msgget: 68, semget: 64, mq_open: 240 },
      ...{ add_key: 248, request_key: 249, keyctl: 250, io_uring_setup: 425 },
    },
  },
  arm64: {
    ...{ architecture: 0xc00000b7, fcntl: 25, setsockopt: 208, socket: 198, socketpair: 199 },
    closed: {
      ...{ memfd_create: 279, memfd_secret: 447, shmget: 194, msgget: 186, semget: 190, mq_open: 180 },
      ...{ add_key: 217, request_key: 218, keyctl: 219, io_uring_setup: 425 },
    },
  },
};

/** The signal of a closed call: what a killed process's exit code is above 128. */
export const closedCallSignal = 31;

const setPipeSize = 1031;
const socketLevel = 1;
/** SO_SNDBUF, SO_RCVBUF and the same by force. */
const bufferSizes = [7, 8, 32, 33];
/** AF_UNIX, AF_INET, AF_INET6, and AF_NETLINK, which the C library asks about addresses. */
const families = [1, 2, 10, 16];

const [load, equal, atLeast, give] = [0x20, 0x15, 0x35, 0x06];
const [kill, allow] = [0x80000000, 0x7fff0000];
const [numberAt, architectureAt] = [0, 4];
const argumentAt = (n: number) => 16 + 8 * n;

type Statement = readonly [code: number, constant: number, ifTrue?: number, ifNot?: number];

/** undefined: not supported on this architecture. */
export function systemCallFilter(architecture: NodeJS.Architecture = process.arch): Buffer | undefined {
  const machine = machines[architecture];
  if (machine === undefined) return undefined;
  const { otherTable, closed, fcntl, setsockopt, socket, socketpair } = machine;
  const killIf = (...values: readonly number[]) =>
    values.flatMap((value): Statement[] => [
      [equal, value, 0, 1],
      [give, kill],
    ]);
  const ofCall = (number: number, body: readonly Statement[]): Statement[] => [
    [load, numberAt],
    [equal, number, 0, body.length],
    ...body,
  ];
  const ofFamilies: Statement[] = [
    [load, argumentAt(0)],
    ...families.map((family, i): Statement => [equal, family, families.length - i, 0]),
    [give, kill],
  ];
  const ofSizes: Statement[] = [[load, argumentAt(2)], ...killIf(...bufferSizes)];
  const statements: Statement[] = [
    [load, architectureAt],
    [equal, machine.architecture, 1, 0],
    [give, kill],
    [load, numberAt],
    ...(otherTable === undefined
      ? []
      : ([
          [atLeast, otherTable, 0, 1],
          [give, kill],
        ] as const)),
    ...killIf(...Object.values(closed)),
    ...ofCall(fcntl, [[load, argumentAt(1)], ...killIf(setPipeSize)]),
    ...ofCall(setsockopt, [[load, argumentAt(1)], [equal, socketLevel, 0, ofSizes.length], ...ofSizes]),
    ...ofCall(socket, ofFamilies),
    ...ofCall(socketpair, ofFamilies),
    [give, allow],
  ];
  const bytes = Buffer.alloc(8 * statements.length);
  for (const [i, [code, constant, ifTrue = 0, ifNot = 0]] of statements.entries()) {
    bytes.writeUInt16LE(code, 8 * i);
    bytes.writeUInt8(ifTrue, 8 * i + 2);
    bytes.writeUInt8(ifNot, 8 * i + 3);
    bytes.writeUInt32LE(constant, 8 * i + 4);
  }
  return bytes;
}

/**
 * @file A folder as one file: tar in POSIX.1-1988 format (ustar), plain files only.
 *
 *     512 bytes     name[100] mode[8] owner[8] group[8] size[12, octal] time[12] checksum[8] kind[1] ... "ustar\0" "00" ... prefix[155]
 *     content       padded with zeros to a multiple of 512
 *     ...           after the last file two blocks of zeros
 *
 * Input is untrusted: links, devices, names outside the folder and sizes beyond the end are refused.
 */

import { fail } from "../../core/error.ts";

const BLOCK = 512;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: false });
/** [offset, length] of the header fields. */
const fields = { name: [0, 100], size: [124, 12], checksum: [148, 8], prefix: [345, 155] } as const;
const KIND = 156;
const [FILE, OLD_FILE, FOLDER, PAX, PAX_GLOBAL] = [48, 0, 53, 120, 103]; // "0", NUL, "5", "x", "g"

/** Names are paths below the folder, with `/`, of ASCII letters and at most 100 bytes; files keep their order. */
export function writeTar(files: Readonly<Record<string, Uint8Array>>): Uint8Array<ArrayBuffer> {
  const entries = Object.entries(files);
  const room = (bytes: Uint8Array) => BLOCK * (1 + Math.ceil(bytes.length / BLOCK));
  const tar = new Uint8Array(entries.reduce((sum, [, bytes]) => sum + room(bytes), 2 * BLOCK));
  let at = 0;
  for (const [name, bytes] of entries) {
    if (!isInside(name) || encoder.encode(name).length > fields.name[1])
      fail("tar", "a path below the folder of at most 100 bytes", name);
    tar.set(headerOf(name, bytes.length), at);
    tar.set(bytes, at + BLOCK);
    at += room(bytes);
  }
  return tar;
}

/** The plain files, by their names. `at` is named in errors. */
export function readTar(tar: Uint8Array, at: string): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const broken = (expected: string, got: unknown): never =>
    fail(at, expected, got, "It is no tar file, or a damaged one", "corrupt");
  for (let from = 0; ; ) {
    const header = tar.subarray(from, from + BLOCK);
    if (header.length < BLOCK) broken("a block of zeros behind the last file", `${header.length} bytes`);
    if (header.every((byte) => byte === 0)) break;
    if (octal(header, fields.checksum) !== sumOf(header)) broken("a header with its checksum", "another sum");
    const [prefix, own] = [text(header, fields.prefix), text(header, fields.name)];
    const name = prefix === "" ? own : `${prefix}/${own}`;
    const size = octal(header, fields.size);
    const kind = header[KIND];
    const next = from + BLOCK * (1 + Math.ceil(size / BLOCK));
    if (!Number.isSafeInteger(size) || from + BLOCK + size > tar.length)
      broken(`${size} bytes of ${name}`, `${tar.length - from - BLOCK}`);
    if (kind === FILE || kind === OLD_FILE) {
      if (!isInside(name)) broken("names below the folder", name);
      files.set(name.replace(/^(?:\.\/)+/, ""), tar.subarray(from + BLOCK, from + BLOCK + size));
    } else if (kind !== FOLDER && kind !== PAX && kind !== PAX_GLOBAL)
      broken("files and folders alone", `${name}, of the kind ${JSON.stringify(String.fromCharCode(kind))}`);
    from = next;
  }
  return files;
}

/** Refuses absolute names and `..`, so that files stay in the folder. */
const isInside = (name: string) =>
  name !== "" &&
  !name.startsWith("/") &&
  !name.includes("\\") && // a name ends before a byte 0
  name.split("/").every((part) => part !== "..");

function headerOf(name: string, size: number): Uint8Array {
  const header = new Uint8Array(BLOCK);
  const put = (at: number, written: string) => header.set(encoder.encode(written), at);
  put(0, name);
  put(100, "0000644\u00000000000\u00000000000\u0000");
  put(fields.size[0], `${size.toString(8).padStart(11, "0")}\u000000000000000\u0000`); // and the time, 0: equal files give equal bytes
  put(KIND, "0");
  put(257, "ustar\u000000");
  put(fields.checksum[0], `${sumOf(header).toString(8).padStart(6, "0")}\u0000 `);
  return header;
}

/** Sum of the header bytes, with those of the checksum as spaces. */
const sumOf = (header: Uint8Array) =>
  header.reduce(
    (sum, byte, i) =>
      sum + (i >= fields.checksum[0] && i < fields.checksum[0] + fields.checksum[1] ? 32 : byte),
    0,
  );

function text(header: Uint8Array, [from, length]: readonly [number, number]): string {
  const bytes = header.subarray(from, from + length);
  const end = bytes.indexOf(0);
  return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
}

/** NaN if it is not a number. */
function octal(header: Uint8Array, field: readonly [number, number]): number {
  const digits = text(header, field).trim();
  return /^[0-7]{1,12}$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
}

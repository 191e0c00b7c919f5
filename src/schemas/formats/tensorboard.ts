/**
 * @file Scalars as an event file of TensorBoard: a TFRecord for each event.
 *
 *     record    length u64, mask(crc32c(length)) u32, event, mask(crc32c(event)) u32         all little-endian
 *     mask(c)   rotate right by 15, plus a282ead8
 *     event     wall_time 1 double, step 2 int64, file_version 3 string | summary 5: value 1 { tag 1, simple_value 2 float }
 *
 * Source: tensorflow/core/util/event.proto, core/framework/summary.proto, core/lib/io/record_writer.
 */

import { PbfWriter } from "pbf";
import { crc32c } from "../../core/checksum.ts";

interface ScalarEvent {
  /** Seconds since 1970. */
  readonly time: number;
  readonly step: number;
  /** By tag. */
  readonly scalars: Readonly<Record<string, number>>;
}

/** TensorBoard shows the files whose names have `tfevents` in them. */
export const eventFileName = (seconds: number) => `events.out.tfevents.${Math.floor(seconds)}.statelab`;

export function eventFile(started: number, events: readonly ScalarEvent[]): Uint8Array<ArrayBuffer> {
  const version = new PbfWriter();
  version.writeDoubleField(1, started);
  version.writeStringField(3, "brain.Event:2");
  const records = [version.finish(), ...events.map(encoded)].map(framed);
  const file = new Uint8Array(records.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const record of records) {
    file.set(record, at);
    at += record.length;
  }
  return file;
}

function encoded({ time, step, scalars }: ScalarEvent): Uint8Array {
  const event = new PbfWriter();
  event.writeDoubleField(1, time);
  event.writeVarintField(2, step);
  event.writeMessage(
    5,
    (_, summary) => {
      for (const each of Object.entries(scalars)) summary.writeMessage(1, writeValue, each);
    },
    undefined,
  );
  return event.finish();
}

function writeValue([tag, value]: [string, number], to: PbfWriter): void {
  to.writeStringField(1, tag);
  to.writeFloatField(2, value);
}

function framed(event: Uint8Array): Uint8Array {
  const record = new Uint8Array(event.length + 16);
  const view = new DataView(record.buffer);
  view.setBigUint64(0, BigInt(event.length), true);
  view.setUint32(8, masked(crc32c(record.subarray(0, 8))), true);
  record.set(event, 12);
  view.setUint32(12 + event.length, masked(crc32c(event)), true);
  return record;
}

const masked = (checksum: number) => (((checksum >>> 15) | (checksum << 17)) + 0xa282ead8) >>> 0;

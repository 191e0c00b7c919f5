/**
 * @file Scalars as an event file of TensorBoard: a TFRecord for each event.
 *
 *     record    length u64, mask(crc32c(length)) u32, event, mask(crc32c(event)) u32         all little-endian
 *     mask(c)   rotate right by 15, plus a282ead8
 *     event     wall_time 1 double, step 2 int64, file_version 3 string | session_log 7 |
 *               summary 5: value 1 { tag 1, simple_value 2 float }
 *
 * Source: tensorflow/core/util/event.proto, core/framework/summary.proto, core/lib/io/record_writer; tensorboard/plugins/hparams/*.proto.
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

/** Settings of a run, for the page HPARAMS. */
export interface HyperParameters {
  readonly values: Readonly<Record<string, string | number | boolean>>;
  /** Runs of one group are repetitions: the page shows their mean. */
  readonly group: string;
}

/** The session log makes a reader drop what an earlier file of the folder said. */
export function eventFile(
  started: number,
  events: readonly ScalarEvent[],
  settings?: HyperParameters,
): Uint8Array<ArrayBuffer> {
  const records = [
    event(started, (to) => to.writeStringField(3, "brain.Event:2")),
    event(started, (to) => to.writeMessage(7, (_, session) => session.writeVarintField(1, 1), undefined)), // START
    ...(settings === undefined ? [] : [event(started, (to) => to.writeMessage(5, writeSettings, settings))]),
    ...events.map(eventRecord),
  ];
  const file = new Uint8Array(records.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const record of records) {
    file.set(record, at);
    at += record.length;
  }
  return file;
}

/** An event that is appended to a file. */
export function eventRecord({ time, step, scalars }: ScalarEvent): Uint8Array {
  return event(time, (to) => {
    to.writeVarintField(2, step);
    to.writeMessage(
      5,
      (_, summary) => {
        for (const each of Object.entries(scalars)) summary.writeMessage(1, writeValue, each);
      },
      undefined,
    );
  });
}

function event(time: number, write: (to: PbfWriter) => void): Uint8Array {
  const to = new PbfWriter();
  to.writeDoubleField(1, time);
  write(to);
  return framed(to.finish());
}

function writeValue([tag, value]: [string, number], to: PbfWriter): void {
  to.writeStringField(1, tag);
  to.writeFloatField(2, value);
}

/**
 * summary: value 1 { tag 1, metadata 9 { plugin_data 1 { name 1, content 2: HParamsPluginData } } }
 * HParamsPluginData: session_start_info 3 { hparams 1: map<string, Value { number 2 | string 3 | bool 4 }>, group_name 4 }
 */
function writeSettings({ values, group }: HyperParameters, summary: PbfWriter): void {
  const content = new PbfWriter();
  content.writeMessage(
    3,
    (_, start) => {
      for (const [key, value] of Object.entries(values))
        start.writeMessage(
          1,
          (_, entry) => {
            entry.writeStringField(1, key);
            entry.writeMessage(2, writeSetting, value);
          },
          undefined,
        );
      start.writeStringField(4, group);
    },
    undefined,
  );
  const plugin = (_: undefined, to: PbfWriter) => {
    to.writeStringField(1, "hparams");
    to.writeBytesField(2, content.finish());
  };
  const value = (_: undefined, to: PbfWriter) => {
    to.writeStringField(1, "_hparams_/session_start_info");
    to.writeMessage(9, (_, metadata) => metadata.writeMessage(1, plugin, undefined), undefined);
  };
  summary.writeMessage(1, value, undefined);
}

function writeSetting(value: string | number | boolean, to: PbfWriter): void {
  if (typeof value === "number") to.writeDoubleField(2, value);
  else if (typeof value === "boolean") to.writeBooleanField(4, value);
  else to.writeStringField(3, value);
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

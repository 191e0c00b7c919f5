/** @file Records of the folder that the studio serves (runs, evaluations, episodes): the choice of a folder, tables, pages of rows, filters. */

import type { ComponentChildren } from "preact";
import { visibleLines } from "../../src/python/trace/terminal.ts";
import { readAddress, setSettings } from "../address.ts";
import { Select, Wide } from "./components.tsx";

export interface Column<Row> {
  readonly title: string;
  /** Words are aligned left, numbers right. */
  readonly word?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
  readonly className?: (row: Row) => string;
}

/** Text that a record must contain: its name, or why an answer has its verdict. */
export const Search = ({ chosen = "" }: { readonly chosen?: string | undefined }) => (
  <label>
    Search{" "}
    <input
      type="search"
      value={chosen}
      onInput={({ currentTarget }) => setSettings({ text: currentTarget.value, from: "" })}
    />
  </label>
);

/** The placeholder until the answer of the server arrives; undefined after that. */
export function pending({ said, problem }: { said?: unknown; problem?: string }, waiting: string) {
  if (problem !== undefined)
    return (
      <p role="alert">
        {waiting} failed: {problem}.
      </p>
    );
  return said === undefined ? <p class="muted">{waiting} …</p> : undefined;
}

interface Folder {
  readonly name: string;
  readonly problem?: string | undefined;
}

/** The folder that the address names, else the first that can be read. */
export const chosenFolder = <Line extends Folder>(lines: readonly Line[], name: string | undefined) =>
  lines.find((line) => line.name === name) ?? lines.find(({ problem }) => problem === undefined);

/** One button per folder; another folder clears all other settings of the view. */
export function FolderChoice<Line extends Folder>(props: {
  readonly lines: readonly Line[];
  readonly chosen: Line | undefined;
  readonly title: (line: Line) => string;
  readonly setting: string;
}) {
  const { lines, chosen, title, setting } = props;
  const choose = (name: string) => {
    const others = Object.keys(readAddress(location.hash).settings).map((each) => [each, undefined]);
    setSettings({ ...Object.fromEntries(others), [setting]: name });
  };
  return (
    <ul class="askings">
      {lines.map((line) => (
        <li key={line.name}>
          {line.problem !== undefined ? (
            <span>
              {line.name} cannot be read: {line.problem}
            </span>
          ) : (
            <button
              type="button"
              aria-pressed={line === chosen ? "true" : "false"}
              onClick={() => choose(line.name)}
            >
              {title(line)} <span class="muted">{line.name}</span>
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** One setting of which records are shown; "" for all. */
export const Filter = (props: {
  readonly label: string;
  readonly all?: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
}) => <Select {...props} options={[["", props.all ?? "all"], ...props.options]} />;

/** The arms of a record: the two settings `names` at once. */
export function ArmFilter<Name extends string>(props: {
  readonly settings: Readonly<Record<string, string>>;
  readonly names: readonly [Name, Name];
  readonly arms: readonly Readonly<Record<Name, string>>[];
}) {
  const { settings, names, arms } = props;
  const [first, second] = names;
  return (
    <Filter
      label="Arm"
      value={settings[first] ? `${settings[first]} ${settings[second] ?? ""}` : ""}
      options={arms.map((arm) => [`${arm[first]} ${arm[second]}`, `${arm[first]}, ${arm[second]}`])}
      onChange={(value) => {
        const [own = "", other = ""] = value.split(" ");
        setSettings({ [first]: own, [second]: other, from: "" });
      }}
    />
  );
}

/** Columns of rows whose cells are a list; the first of them names the row. */
export const listColumns = (titles: readonly string[]): Column<readonly ComponentChildren[]>[] =>
  titles.map((title, i) => ({ title, cell: (row) => row[i + 1] }));

interface TableProps<Row> {
  readonly first: string;
  readonly caption?: ComponentChildren;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly id?: (row: Row) => string;
  readonly isCurrent?: (row: Row) => boolean;
  /** Why a record cannot be read. */
  readonly problem?: (row: Row) => string | undefined;
}

/** A narrow screen shows each row as a card: page.css. */
function Table<Row>(props: TableProps<Row> & { readonly heading: (row: Row) => ComponentChildren }) {
  const { first, caption, rows, columns, id, isCurrent, problem, heading } = props;
  return (
    <table class="cards">
      {caption !== undefined && <caption>{caption}</caption>}
      <thead>
        <tr>
          <th scope="col">{first}</th>
          {columns.map(({ title, word }, i) => (
            <th key={i} scope="col" class={word ? "word" : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          <tr key={id?.(row) ?? i} aria-current={isCurrent?.(row) ? "true" : undefined}>
            <th scope="row">{heading(row)}</th>
            {problem?.(row) !== undefined ? (
              <td class="word" colSpan={columns.length}>
                cannot be read: {problem(row)}
              </td>
            ) : (
              columns.map(({ title, word, cell, className }, k) => (
                <td
                  key={k}
                  data-label={title}
                  class={`${word ? "word" : ""} ${className?.(row) ?? ""}`.trim() || undefined}
                >
                  {cell(row)}
                </td>
              ))
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Numbers by name: arms of an evaluation, tests of a run. */
export const SummaryTable = <Row,>({
  label,
  name,
  ...table
}: TableProps<Row> & { readonly label: string; readonly name: (row: Row) => ComponentChildren }) => (
  <Wide label={label}>
    <Table {...table} heading={name} />
  </Wide>
);

/** One row per record; its name opens it: the setting `setting`. */
export function RecordTable<Row>(
  props: Omit<TableProps<Row>, "first"> & {
    readonly setting: string;
    readonly chosen: string | undefined;
    readonly className?: string;
    readonly name: (row: Row) => string;
  },
) {
  const { setting, chosen, className = "", name, ...table } = props;
  return (
    <div class={`flow card runs ${className}`}>
      <Table
        {...table}
        first={setting}
        id={name}
        isCurrent={(row) => name(row) === chosen}
        heading={(row) => (
          <button type="button" onClick={() => setSettings({ [setting]: name(row) })}>
            {name(row)}
          </button>
        )}
      />
    </div>
  );
}

const PAGE = 200;

/** A page of the records that match the filters, and buttons to the pages before and after. */
export function RecordPages<Row>(
  props: Omit<Parameters<typeof RecordTable<Row>>[0], "className"> & {
    readonly list: { readonly found: number; readonly from: number; readonly all: number };
    readonly unit: string;
  },
) {
  const { list, unit, ...table } = props;
  const { found, from, all } = list;
  const to = from + table.rows.length;
  if (found === 0)
    return (
      <p class="muted">
        None of {all} {unit} matches these filters.
      </p>
    );
  return (
    <>
      <RecordTable className="samples" {...table} />
      <p class="controls">
        <span class="muted">
          {from + 1} to {to} of {found.toLocaleString("en")}
          {found < all && `, of ${all.toLocaleString("en")} ${unit} in all`}
        </span>
        {from > 0 && (
          <button type="button" onClick={() => setSettings({ from: String(Math.max(0, from - PAGE)) })}>
            Previous{" "}
          </button>
        )}
        {to < found && (
          <button type="button" onClick={() => setSettings({ from: String(from + PAGE) })}>
            Next{" "}
          </button>
        )}
      </p>
    </>
  );
}

/** The lines of a text, numbered; `at` is marked, `beside` stands to the right of its line. Long texts are cut. */
export function Listing(props: {
  readonly title: string;
  readonly lines: readonly string[];
  readonly at?: number | undefined;
  readonly beside?: readonly string[];
  readonly most?: number;
  /** The file that has the other lines. */
  readonly file?: string;
  /** Whether the title is shown, or is the label of the region alone. */
  readonly hasHeading?: boolean;
}) {
  const { title, lines, at, beside = [], most = 400, file = "samples.jsonl", hasHeading = true } = props;
  return (
    <>
      {hasHeading && <h3>{title}</h3>}
      <Wide label={title}>
        <ol class="listing wraps">
          {lines.slice(0, most).map((line, i) => (
            <li key={i} class={i + 1 === at ? "now departs" : undefined}>
              <code>{visibleLines(line) || " "}</code>
              {beside[i] && <small class="muted"> true: {beside[i]}</small>}
            </li>
          ))}
        </ol>
      </Wide>
      {lines.length > most && (
        <p class="muted">
          {lines.length - most} more lines are in {file}.
        </p>
      )}
    </>
  );
}

/**
 * @file statelab/tasks: every task by name, its examples with their true states, the computed references. Reaches no
 * module of Node.
 *
 *     const prepared = prepareTask(taskNamed("repl"), { variables: 3, commands: 6 });
 *     const { text, reveals, states } = exampleFrom(prepared, exampleStream(0, "test")(7));
 */

export {
  type Batch,
  type BatchWriter,
  batchWriter,
  characterTokenizer,
  contentHash,
  defineTask,
  type Example,
  type ExampleReader,
  type ExampleStream,
  emptyBatch,
  exactBayes,
  exampleFrom,
  exampleStream,
  huggingFaceConfig,
  type InWords,
  inWords,
  lastAssertion,
  lastReveal,
  maximumLength,
  type Prepared,
  prepareTask,
  type ReplParams,
  type ReplProgram,
  type Reveal,
  readAsserts,
  readProgram,
  replReferences,
  type Sink,
  type StateAt,
  stateAfter,
  type Task,
  type TaskName,
  type Tokenizer,
  taskNamed,
  taskParams,
  tasks,
  toHuggingFace,
  tokenizerNamed,
  type Window,
  type WordQuestion,
  type WrittenState,
  windowedBayes,
  wordsFrom,
  wordTokenizer,
} from "../tasks/index.ts";

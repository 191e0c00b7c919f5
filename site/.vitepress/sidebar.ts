/** @file The pages of docs/ in the order in which the site lists them: path without `.md`, and label. test/docs/site.test.ts holds it complete. */

type Page = readonly [path: string, label: string];

export const groups: readonly { readonly text: string; readonly pages: readonly Page[] }[] = [
  {
    text: "Tutorial",
    pages: [
      ["tutorial/train-a-model", "Train a model"],
      ["tutorial/your-own-architecture", "Your own architecture"],
      ["tutorial/trace-and-debug", "Trace and debug"],
    ],
  },
  {
    text: "How to",
    pages: [
      ["how-to/train", "Train and resume"],
      ["how-to/sweep", "Sweep and compare"],
      ["how-to/analyze", "Analyze a model"],
      ["how-to/reproduce", "Reproduce an experiment"],
      ["how-to/studio", "Use Studio"],
      ["how-to/evaluate-llm", "Evaluate an LLM"],
      ["how-to/import-benchmarks", "Import benchmarks"],
      ["how-to/debug", "Debug a program"],
      ["how-to/debug-in-an-editor", "Debug in an editor"],
      ["how-to/agent-debugger", "Give an agent the debugger"],
      ["how-to/diagnose", "Diagnose a model"],
      ["how-to/agents", "Evaluate agents"],
      ["how-to/serve", "Serve a model"],
      ["how-to/import-export", "Import and export models"],
      ["how-to/cluster", "Run on a cluster"],
      ["how-to/library", "Use the library"],
      ["how-to/add-a-model", "Add a model"],
      ["how-to/add-a-task", "Add a task"],
      ["how-to/extend", "Extend Statelab"],
    ],
  },
  {
    text: "Concepts",
    pages: [
      ["concepts/repl-traces", "Sessions and reveals"],
      ["concepts/baselines", "Baselines"],
      ["concepts/architectures", "What architectures track"],
      ["concepts/belief", "Belief"],
      ["concepts/code-traces", "Code traces"],
      ["concepts/state-supervision", "State supervision"],
      ["concepts/training-signals", "Training signals"],
      ["concepts/tensor-engine", "Tensor engine"],
      ["concepts/security", "Security"],
    ],
  },
  {
    text: "Reference",
    pages: [
      ["reference/commands", "Commands"],
      ["reference/configuration", "Configuration"],
      ["reference/tasks", "Tasks"],
      ["reference/models", "Models"],
      ["reference/checkpoints", "Checkpoints"],
      ["reference/analyses", "Analyses"],
      ["reference/benchmarks", "Benchmarks"],
      ["reference/file-formats", "File formats"],
      ["reference/ops", "Ops"],
      ["reference/trace-rules", "Trace rules"],
      ["glossary", "Glossary"],
    ],
  },
  {
    text: "Results",
    pages: [
      ["results/index", "Overview"],
      ["results/headline", "Four models, one task"],
      ["results/repl-extrapolation", "How far DeltaNet extrapolates"],
      ["results/repl-spacing", "How often the state must be shown"],
      ["results/interpret", "The head that tracks"],
      ["results/state-parity", "State supervision: parity"],
      ["results/state-permutation", "State supervision: permutations"],
      ["results/beliefs", "Beliefs: decay and adversary"],
      ["results/zoo", "The zoo"],
      ["results/hybrids", "Hybrids: state and recall"],
      ["results/code-traces", "Tracing CRUXEval"],
    ],
  },
];

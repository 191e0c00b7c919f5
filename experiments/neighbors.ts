/**
 * @file Systems related to Statelab: the kernel of each, what its paper reports, and where the committed number of its kernel is or why
 * there is none. docs/results/neighbors.md shows them.
 *
 * Published effects are from papers, abstracts or public code; most papers were not read in full.
 */

import { claims, type Neighbor, printed, zooCells } from "./runner/neighbors.ts";

export const neighbors: readonly Neighbor[] = [
  {
    ...{ system: "Neural debugger", paper: "2026", published: "no number read" },
    kernel: "A model predicts the stop after a debugger command, forwards or backwards.",
    ours: claims("neural-debugger", [
      ["Exact match falls", "exact match over one line less that over five or more"],
      ["Backwards it is near 1", "exact match backwards, if one answer fits"],
      ["Backwards it reaches", "share of the optimum, if several answers fit"],
    ]),
  },
  {
    ...{ system: "LDB", paper: "2024", published: "up to 9.8 points more repairs" },
    kernel: "A failing test is debugged by the states before and after each basic block.",
    ours: printed(
      /: (\d+) faults in (\d+) of \d+ programs[\s\S]*faulty block: (\d+ of \d+)/,
      "$1 faults in $2 programs; states first differ in the faulty block: $3",
    ),
    missing: "A judge that reads block states, against one that reads the output alone, and repairs.",
  },
  {
    ...{ system: "CodeTracer", paper: "2026", published: "macro-F1 up to 48 %" },
    kernel: "The step where the failure of an agent begins is found in its transcript.",
    ours: claims("failure-onset", [
      [
        "The fault is found by its onset if messages name line and time",
        "F1 of the onset, messages with line and time",
      ],
      ["The fault is found by its onset if messages name values alone", "with values alone"],
      ["The fault is found by its first error if messages name line and time", "of the first error"],
      ["The fault is found by its last error if messages name line and time", "of the last error"],
    ]),
    missing: "Transcripts of real agents: a fault is put into true ones.",
  },
  {
    ...{
      system: "TRACED",
      paper: "2023, arXiv:2306.07487",
      published: "+12.4 % paths, +25.2 % values, relative",
    },
    kernel: "A model learns from executed lines and quantized final values.",
    ours: claims("execution-labels", [
      ["Relative gain in complete paths: labels of values over answers", "relative gain in complete paths"],
      ["Relative gain in values: labels of values over answers", "in values"],
      ["Accuracy of complete paths, answers alone", "accuracy without labels, paths"],
      ["Accuracy of values, answers alone", "values"],
    ]),
    missing: "Labels before answers: both are trained at once. Coverage and values of real programs.",
  },
  {
    ...{ system: "Idioms", paper: "2025", published: "no number read" },
    kernel: "The state head predicts value and type.",
    ours: claims("execution-labels", [
      [
        "Relative gain in complete paths: labels of values and types over labels",
        "relative gain of types in complete paths",
      ],
      ["Relative gain in values: labels of values and types over labels", "in values"],
    ]),
    missing: "Types that values do not imply, and the inverse task, from a bytecode line to its source line.",
  },
  {
    ...{ system: "State tuning", paper: "2025, RWKV-7", published: "no number read" },
    kernel: "Only the initial state is trained, and each weight is frozen.",
    ours: claims("teach-methods", [
      ["RWKV-7: unknown start, trained", "accuracy from an unknown start, RWKV-7"],
      ["RWKV-7: trained share", "trained share of its parameters"],
      ["DeltaNet [-1,1]: unknown start, trained", "accuracy, DeltaNet [-1,1]"],
      ["RWKV-7: other words, state trained", "with untrained commands, RWKV-7"],
    ]),
  },
  {
    ...{ system: "WSD-S", paper: "2024, the river valley", published: "in words" },
    kernel: "One run has several budgets, each with its own fast decay of the learning rate.",
    ours: claims("teach-methods", [
      ["One WSD-S run replaces", "largest excess over a cosine for each of three budgets, nats"],
    ]),
    missing: "Branched WSD beside it; two learning rates were tried.",
  },
  {
    ...{ system: "Birdie", paper: "2024", published: "in words" },
    kernel: "The shares of several objectives follow what each improved.",
    ours: claims("objective-mixture", [
      ["Accuracy of look-ups, Birdie", "look-ups in a phone book at equal tokens"],
      ["Accuracy of look-ups, equal shares", "with equal shares"],
      ["Accuracy of look-ups, next token", "with the next token alone"],
      ["Share of selective-copy at the end, Birdie", "share of selective copy at the end"],
    ]),
    missing:
      "Mixtures that reach 95 %, the bidirectional prefix, and the reward network: a ridge regression predicts the reward.",
  },
  {
    ...{ system: "OpenClaw-RL", paper: "2026", published: "no number read" },
    kernel: "The advantage of a token is its log probability with a hint minus that without.",
    ours: claims("hint-reward", [
      ["Programs until 95 % are right, hint", "programs until 95 % with hints"],
      ["Programs until 95 % are right, reward", "with rewards"],
      ["Programs until 95 % are right, supervised", "with the answers"],
    ]),
    missing: "A judge that writes the hint: it is the exact answer.",
  },
  {
    ...{ system: "Understanding by reconstruction", paper: "2026", published: "in words" },
    kernel: "Hidden states sampled from the exact posterior replace true states in training.",
    ours: claims("teach-signals", [
      ["States sampled from their exact law", "nats on states above true states"],
      ["drawn, rate 0.9 instead of 0.1: loss on states", "of a wrong law, above the right one"],
    ]),
  },
  {
    ...{ system: "Bisimulation loss", paper: "2024", published: "no number read" },
    kernel: "Distances of hidden vectors follow distances of states.",
    ours: claims("state-collapse", [
      ["A model is right more often", "rank correlation of state variance and accuracy"],
      ["GRU: the head raises accuracy", "accuracy that the loss adds at four times the length, GRU"],
    ]),
    missing: "The recursion over rewards and next states: the loss uses distances of true states.",
  },
  {
    ...{ system: "Decision Mamba", paper: "2024", published: "no number read" },
    kernel: "Targets with false reveals are mixed with the predictions of the model.",
    ours: claims("teach-signals", [
      ["On a fixed corpus with false reveals", "accuracy that mixing adds on a fixed corpus"],
      ["On endless programs with false reveals", "on endless programs"],
    ]),
    missing: "Mamba, other rates than 20 %, predictions of older weights, and the exact filter.",
  },
  {
    ...{ system: "OER", paper: "2025", published: "no number read" },
    kernel: "Examples for replay are selected by the error of a model.",
    ours: claims("teach-methods", [
      ["Accuracy lost on Z_2 after Z_3 and S_3, no replay", "accuracy lost on an earlier group"],
      ["Accuracy lost on Z_2 after Z_3 and S_3, replay", "with one program in 20 from earlier groups"],
    ]),
    missing: "Selection by the error of the model: earlier programs are drawn at random and have no end.",
  },
  {
    ...{ system: "PRDC", paper: "2023", published: "no number read" },
    kernel: "The hidden vector is replaced by the nearest prototype of a state at test time.",
    ours: claims("state-collapse", [
      ["GRU: snapping", "accuracy that snapping adds at four times the length, GRU"],
      ["LSTM: snapping", "LSTM"],
    ]),
    missing: "The state-regularized network beside it.",
  },
  {
    ...{ system: "Three tiers", paper: "2026, mobile agents", published: "gains of 26.1, 15.7 and 8.3" },
    kernel: "Generalization has three gaps: unseen instance, unseen names, unseen group.",
    ours: claims("three-tiers", [
      ["DeltaNet [-1,1]: accuracy lost on new names", "accuracy that DeltaNet loses on new names"],
      ["DeltaNet [-1,1]: accuracy lost on another wording", "on another wording"],
      ["DeltaNet [-1,1]: accuracy lost on another group", "on another group"],
      ["Transformer with convolution: accuracy lost on new names", "that a Transformer loses on new names"],
      ["Transformer with convolution: accuracy lost on another wording", "on another wording"],
      ["Transformer with convolution: accuracy lost on another group", "on another group"],
    ]),
    missing: "Reinforcement learning: the models are trained on answers, and no gain is measured.",
  },
  {
    ...{ system: "FlowState", paper: "2025, arXiv:2508.05287", published: "no number read" },
    kernel: "A layer in continuous time scales its step to the sampling rate at test time.",
    ours: claims("step-scale", [
      ["S5, two layers, unscaled", "accuracy at eight times the rate less that as trained, S5"],
      ["S5, two layers, scaled", "with the step divided"],
      ["S4D, two layers, unscaled", "S4D"],
      ["S4D, two layers, scaled", "with the step divided"],
      ["S5, one layer, scaled", "one layer of S5"],
    ]),
    missing: "Commands with pauses: symbols are held instead.",
  },
  {
    ...{ system: "ARNOLD", paper: "2023", published: "no number read" },
    kernel: "States are continuous, and goals were not trained.",
    missing: "All tasks have discrete answers; a regression head and a tolerance are not built.",
  },
  {
    ...{ system: "LOOP", paper: "2025", published: "no number read" },
    kernel: "The baseline of a sampled reward is the mean of the other samples.",
    ours: claims("teach-methods", [
      [
        "More locks of ten digits open, reward",
        "share of locks of ten digits that open, gain over imitation",
      ],
    ]),
    missing: "Several updates per batch with clipped ratios.",
  },
  {
    ...{ system: "Entropy mechanism", paper: "2025", published: "R = -a e^H + b" },
    kernel: "Reward is bought with entropy, and Clip-Cov keeps the entropy.",
    ours: claims("teach-methods", [
      ["The reward is -a e^H", "R² of the law"],
      ["Clip-Cov keeps the entropy", "entropy with Clip-Cov, relative to without"],
      ["More locks of ten digits open, Clip-Cov", "gain in reward with it"],
      ["More locks of ten digits open, reward", "without"],
    ]),
    missing: "KL-Cov.",
  },
  {
    ...{ system: "CURE", paper: "2025", published: "no number read" },
    kernel: "New samples branch at the tokens of largest entropy.",
    ours: claims("entropy-branches", [
      ["More locks open, branches at high entropy", "gain in opened locks with branches at high entropy"],
      ["More locks open, branches anywhere", "at random places"],
      ["More locks open, whole answers", "with as many tokens in whole answers"],
    ]),
    missing: "Its second stage, and answers that are written into the text.",
  },
  {
    ...{ system: "Agnostic RL", paper: "2025, thesis", published: "in words" },
    kernel: "Random exploration fails at a combination lock that needs the hidden state.",
    ours: printed(
      /guessing\n\w+ +full +(\d+) +\d+ +(\S+ ± \S+)[\s\S]*tracking\n\w+ +full +\d+ +\d+ +(\S+)/,
      "share of $1 locks with six binary digits that open: $2 by guessing (expected 1/64), $3 by tracking",
    ),
    missing: "A trained policy: both are scripts.",
  },
  {
    ...{ system: "Agents learn their runtime", paper: "2026" },
    published: "a missing variable in about 80 % of episodes; 3.5 times the tokens",
    kernel: "A model trained where names persist relies on them where they do not.",
    ours: claims("runtime-2x2", [
      ["DeltaNet [-1,1], trained where names persist", "episodes of DeltaNet with a missing variable"],
      ["DeltaNet [-1,1], trained where names do not persist", "tokens, relative to the other training"],
    ]),
  },
  {
    ...{ system: "CaveAgent", paper: "2026", published: "28 % fewer tokens, 59 % on large data" },
    kernel: "Objects stay in the interpreter, and the text has their names and types.",
    ours: printed(
      / json .*?(\d+) +\d+\n.* runtime .*? (\d+) +\d+\n/,
      "tokens per episode: $1 with results as JSON, $2 with names and types",
    ),
    missing: "A language model: the policy is a script.",
  },
  {
    ...{ system: "StateLM", paper: "2026", published: "no number read" },
    kernel: "A model reads in chunks, writes notes and deletes what it has read.",
    ours: printed(
      / full .*? (\d+) +(\d+) +\d+\n.* notes .*? (\d+) +(\d+) +\d+\n/,
      "longest prompt for 1,000 lines: $1 tokens whole, $3 with notes; processed: $2 and $4",
    ),
    missing: "A trained policy: it is a script that never errs.",
  },
  {
    ...{ system: "SHERPA", paper: "2025", published: "no number read" },
    kernel: "A state machine checks each step of a model and asks again.",
    ours: printed(
      / full +(\d+) +\d+ +(\S+ ± \S+)[\s\S]* full +\d+ +\d+ +(\S+ ± \S+)[\s\S]* full +\d+ +\d+ +(\S+ ± \S+)/,
      "share of $1 episodes without an error: $2 without the check, $3 with it, $4 with a state machine of one state that has it",
    ),
    missing: "A trained policy, and the gain of a machine of several states.",
  },
  {
    ...{ system: "StateGen", paper: "2025", published: "7.16 calls and 5.03 bindings on average" },
    kernel: "Legal API calls are sampled so that rare pairs of calls occur.",
    ours: claims("api-pairs", [
      ["Traces of session", "pairs after 50 traces, relative to the better of two uniform walks: session"],
      ["Traces of tensors", "tensors"],
      ["Traces of files", "files"],
    ]),
  },
  {
    ...{ system: "RefactorBench", paper: "2025", published: "+43.9 %, relative" },
    kernel: "A summary of earlier edits replaces what the model no longer sees.",
    ours: printed(
      / window +\d+ +\d+ +\S+ +\S+ +\S+ +(\S+)[\s\S]* summary +\d+ +\d+ +\S+ +\S+ +(\S+) +(\S+)/,
      "edits until $2 files are renamed: $1 with the last turn alone, $3 with a summary",
    ),
    missing: "Real files, their syntax tree, and a model: the policy is a script.",
  },
  {
    ...{ system: "Lifecycle-aware code generation", paper: "2025", published: "no number read" },
    kernel: "Prompts ask directly, for pseudocode first, or for a state machine first.",
    ours: printed(
      / full .*? (\d+) +(\d+)\n[\s\S]* full .*? (\d+) +(\d+)\n[\s\S]* full .*? (\d+) +(\d+)\n/,
      "tokens of prompts and replies per episode: direct $1 and $2; pseudocode $3 and $4; state machine $5 and $6",
    ),
    missing:
      "A language model: the policy is a script that ignores the prompt's style, so each style has share 1.",
  },
  {
    ...{ system: "ArcMemo", paper: "2025", published: "+7.5 %" },
    kernel: "An abstract rule is written after a task and read before the next.",
    ours: printed(
      / full +(\d+) +(\d+) +\S+ ± \S+ +\S+ .*\n[^$]* concepts +\d+ +(\d+) /,
      "of $1 tasks of another seed $2 are solved in six calls without routines, $3 with routines of earlier tasks, none of which has an answer",
    ),
    missing:
      "A language model: the policy is a script that makes random calls, or follows a routine that it sees.",
  },
  {
    ...{ system: "Springdrift", paper: "2026", published: "no number read" },
    kernel: "The ledger of a run is append-only, and a replay gives each number again.",
    ours: printed(
      /recomputed (\d+ episodes), (\d+ lines).*; (.+)\n[\s\S]* window +(\d+) +\d+ +(\S+) .*\n.* self +\d+ +\d+ +(\S+) /,
      "replay of $1, $2, chained by hashes: $3; share of $4 locks of 20 digits that open: $5 from the last turn, $6 with step and budget as well",
    ),
    missing:
      "A trained policy: the script reads its step, and neither the budget nor the last verified state.",
  },
  {
    ...{ system: "Active inference", paper: "2024, shape and pose", published: "no number read" },
    kernel: "The agent reveals the variable with the largest expected information gain.",
    ours: claims("active-reveals", [
      ["Entropy after a reveal, random: five variables, swap probability 0.1", "nats left by random choice"],
      ["Entropy after a reveal, greedy: five variables, swap probability 0.1", "by the largest gain"],
      ["DeltaNet [-1,1] that imitates", "above it, trained DeltaNet on three variables"],
    ]),
  },
  {
    ...{ system: "AsyncFlow", paper: "2025", published: "no number read" },
    kernel: "A queue with bounded staleness connects a sampler and a trainer.",
    missing: "`data.async` is such a queue; its throughput and staleness are not committed.",
  },
  {
    ...{ system: "SambaY", paper: "2025, arXiv:2507.06607", published: "no number read" },
    kernel: "A gated memory unit rereads the readout of an earlier layer.",
    ours: claims("gated-memory", [
      ["hybrid with GMUs: recall, as trained", "recall of 8 pairs with GMUs"],
      ["hybrid with attention: recall, as trained", "with attention"],
      ["hybrid with GMUs: tracking, as trained", "S_3 swaps with GMUs"],
      ["hybrid with GMUs: speed of decoding", "decoding at 4,096 tokens, relative to attention"],
    ]),
    missing:
      "Cross-attention on one shared cache, and a GMU as a row of the zoo: it has no state of its own.",
  },
  {
    ...{ system: "Memory Caching", paper: "arXiv:2602.24281", published: "no number read" },
    kernel: "Later tokens read the states cached at ends of segments.",
    ours: zooCells("mqar", ["cached", "gla"]),
    missing: "Time travel, where segment ends should show.",
  },
  {
    ...{ system: "SSE", paper: "2025, arXiv:2507.16577", published: "in words" },
    kernel: "A router writes and reads a few of many partitions of the state.",
    ours: claims("sse-partitions", [
      ["Recall grows with the number of partitions: SSE, N = 16", "recall with 16 partitions"],
      ["Recall grows with the number of partitions: SSE, N = 1", "with one"],
    ]),
    missing: "More than one partition per token.",
  },
  {
    ...{ system: "Gated KalmaNet", paper: "2025, arXiv:2511.21016", published: "no number read" },
    kernel: "A read is a ridge regression over the faded past.",
    ours: zooCells("mqar", ["gka", "deltanet"]),
  },
  {
    ...{ system: "LaCT", paper: "2025, arXiv:2505.23884", published: "in words" },
    kernel: "Fast weights learn once per chunk, so that the open chunk needs a window.",
    ours: claims("lact-chunks", [
      ["Recall inside the chunk of the pairs: chunks of 32", "recall inside the chunk"],
      ["Recall after the chunk of the pairs: chunks of 32", "after it"],
      ["Recall inside the chunk of the pairs: 32 and a window", "inside, with a window"],
    ]),
    missing: "Momentum and orthogonal updates.",
  },
  {
    ...{ system: "State-regularized RNN", paper: "2019, arXiv:1901.08817", published: "in words" },
    kernel: "The state is a mixture of centroids, so that an automaton can be extracted.",
    ours: claims("tomita-automata", [
      ["Automata can be extracted", "automata extracted from seven languages, SR-GRU"],
      ["... and from GRU", "GRU"],
    ]),
  },
  {
    ...{ system: "S5 with resets", paper: "2023, arXiv:2303.03982", published: "no number read" },
    kernel: "A session that begins drops the state of the one before it.",
    missing: "There is no effect to measure: tests hold that packed sessions have the losses of single ones.",
  },
  {
    ...{ system: "Long convolution", paper: "2023, arXiv:2302.06646", published: "no number read" },
    kernel: "The kernel of a convolution is learned, and small weights are set to zero.",
    ours: zooCells("parity", ["long-convolution"]),
    missing: "The smoothness of the kernel, and a task that it is good at: it does not fit selective copy.",
  },
  {
    ...{ system: "SeqBoat", paper: "2023, arXiv:2306.11197", published: "no number read" },
    kernel: "A state-space layer selects the tokens that attend.",
    ours: zooCells("parity", ["seqboat"]),
    missing: "The share of tokens that attend, on parity and on recall.",
  },
  {
    ...{ system: "FlashRNN", paper: "2024, arXiv:2412.07752", published: "a 50 times faster kernel" },
    kernel: "The recurrent weights are blocks, one per head.",
    missing: "The paper's effect is the speed of a GPU kernel; the model `rnn` has the blocks without one.",
  },
  {
    ...{ system: "Fixed-point RNN", paper: "2025, arXiv:2503.10799", published: "no number read" },
    kernel: "A dense recurrence is the fixed point of a diagonal one.",
    missing: "It is not built: no model or analysis iterates to a fixed point over a sequence.",
  },
  {
    ...{ system: "PD-SSM", paper: "2025, arXiv:2509.22284", published: "in words" },
    kernel: "A transition is a one-hot matrix times a diagonal one.",
    ours: zooCells("a4", ["pd-ssm"]),
  },
];

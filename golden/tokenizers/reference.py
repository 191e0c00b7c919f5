"""Tokenizers and a Llama of random weights as Python's `tokenizers` and `transformers` write them, with what they make of texts.json.

    python3 golden/tokenizers/reference.py        rewrites the folders beside this file
"""

import json
from pathlib import Path

import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

here = Path(__file__).parent
texts = json.loads((here / "texts.json").read_text())
every = [text for group in texts.values() for text in group]
byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
alphabet = pre_tokenizers.ByteLevel.alphabet()


def save(name, tokenizer, given=every):
    (here / name).mkdir(exist_ok=True)
    tokenizer.save(str(here / name / "tokenizer.json"))
    (here / name / "ids.json").write_text(json.dumps([tokenizer.encode(text).ids for text in given]) + "\n")
    return tokenizer


def trained(model, pre_tokenizer, trainer, given):
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.train_from_iterator(given, trainer)
    return tokenizer


def bpe(size, specials):
    return trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, special_tokens=specials, show_progress=False)


# GPT-2's rule, trained on REPL sessions alone.
gpt2 = trained(models.BPE(), pre_tokenizers.ByteLevel(add_prefix_space=False), bpe(300, ["<|endoftext|>"]), texts["repl"])
gpt2.decoder = decoders.ByteLevel()
save("gpt2", gpt2)

# Llama 3's rule: a pattern, then bytes; a first token before every text.
pattern = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
rule = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"), byte_level])
llama3 = trained(models.BPE(ignore_merges=True), rule, bpe(450, ["<|begin|>"]), every)
llama3.decoder = decoders.ByteLevel()
begin = processors.TemplateProcessing(single="<|begin|> $A", special_tokens=[("<|begin|>", 0)])
llama3.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=True), begin])
save("llama3", llama3)

# Llama 2's rule: spaces as U+2581, unknown characters as bytes, a newline among them.
rule = pre_tokenizers.Sequence(
    [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.Metaspace(), pre_tokenizers.Split("\n", "isolated")]
)
specials = ["<unk>", "<s>", "</s>"]
llama2 = trained(models.BPE(), rule, trainers.BpeTrainer(vocab_size=250, special_tokens=specials, show_progress=False), every)
file = json.loads(llama2.to_str())
words = sorted(file["model"]["vocab"], key=file["model"]["vocab"].get)
words = specials + [f"<0x{byte:02X}>" for byte in range(256)] + [word for word in words[3:] if word.isascii() or "▁" in word]
words.remove("\n")
file["model"].update(vocab={word: i for i, word in enumerate(words)}, byte_fallback=True, unk_token="<unk>", fuse_unk=True)
file["pre_tokenizer"] = None
llama2 = Tokenizer.from_str(json.dumps(file))
llama2.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
llama2.decoder = decoders.Sequence(steps)
llama2.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
save("llama2", llama2)

# T5's rule.
trainer = trainers.UnigramTrainer(vocab_size=200, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False)
unigram = trained(models.Unigram(), pre_tokenizers.Metaspace(), trainer, every)
unigram.decoder = decoders.Metaspace()
save("unigram", unigram)

# A language model, and its most probable token before each answer of the REPL sessions.
torch.manual_seed(0)
sizes = dict(hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=2)
config = LlamaConfig(vocab_size=gpt2.get_vocab_size() + 3, max_position_embeddings=512, initializer_range=0.3, **sizes)
model = LlamaForCausalLM(config).eval()
model.save_pretrained(here / "gpt2")
answers = []
for text in texts["repl"]:
    encoding = gpt2.encode(text)
    with torch.no_grad():
        guesses = model(torch.tensor([encoding.ids])).logits[0, :, : gpt2.get_vocab_size()].argmax(-1).tolist()
    # An answer is the second word of a line of two words.
    at = [i for i, (start, end) in enumerate(encoding.offsets) if text[start:end].strip().isdigit() and text[:end].split("\n")[-1].count(" ") == 1]
    answers.append([[text[slice(*encoding.offsets[i])].strip(), guesses[i - 1]] for i in at])
(here / "gpt2" / "answers.json").write_text(json.dumps(answers) + "\n")

"""Python clients and harnesses ask the questions of a file at a server, and print the replies as JSON.

    python3 clients.py CLIENT URL MODEL FILE      FILE: of `statelab evaluate --save-predictions`
"""

import json
import os
import sys
import tempfile

client, url, model, file = sys.argv[1:]
with open(file) as lines:
    questions = [json.loads(line)["prompt"] for line in lines]
choices = ["1", "2", "3"]


def chat(prompt):
    return [{"role": "user", "content": prompt}]


def ask_openai():
    import openai

    api = openai.OpenAI(base_url=url, api_key="none")
    short = {"model": model, "max_tokens": 1, "temperature": 0}
    refused = ""
    try:
        api.chat.completions.create(messages=chat(questions[0]), tools=[{"type": "function", "function": {"name": "f"}}], **short)
    except openai.BadRequestError as error:
        refused = error.body["message"]

    def top(prompt):
        (token,) = api.chat.completions.create(messages=chat(prompt), logprobs=True, top_logprobs=3, **short).choices[0].logprobs.content
        chances = [each.logprob for each in token.top_logprobs]
        assert chances == sorted(chances, reverse=True), chances
        return token.top_logprobs[0].token

    return {
        "completions": [choice.text for choice in api.completions.create(prompt=questions, **short).choices],
        "stream": ["".join(part.choices[0].text for part in api.completions.create(prompt=each, stream=True, **short) if part.choices) for each in questions],
        "chat": [api.chat.completions.create(messages=chat(each), **short).choices[0].message.content for each in questions],
        "top": [top(each) for each in questions],
        "responses": [api.responses.create(model=model, input=each, max_output_tokens=16, temperature=0).output_text[:1] for each in questions],
        "refused": refused,
    }


def ask_anthropic():
    import anthropic

    api = anthropic.Anthropic(base_url=url.removesuffix("/v1"), api_key="none")
    greedy = {"temperature": 0}  # which the client no longer has by name
    return {"messages": [api.messages.create(model=model, max_tokens=1, extra_body=greedy, messages=chat(each)).content[0].text for each in questions]}


def ask_litellm():
    import litellm

    to = {"api_base": url, "api_key": "none", "max_tokens": 1, "temperature": 0}
    return {
        "completion": [litellm.completion(model=f"openai/{model}", messages=chat(each), **to).choices[0].message.content for each in questions],
        "text": [litellm.text_completion(model=f"text-completion-openai/{model}", prompt=each, **to).choices[0].text for each in questions],
    }


def ask_lm_eval():
    from lm_eval.evaluator import simple_evaluate

    task = {
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": file}},
        "test_split": "test",
        "doc_to_text": "{{prompt}}",
        "target_delimiter": "",
    }
    generate = {
        **task,
        "task": "generate",
        "output_type": "generate_until",
        "doc_to_target": "{{expected}}",
        "generation_kwargs": {"until": ["\n"], "max_gen_toks": 1},
    }
    choose = {**task, "task": "choose", "output_type": "multiple_choice", "doc_to_choice": choices, "doc_to_target": "{{['1','2','3'].index(expected)}}"}
    args = f"model={model},base_url={url}/completions,tokenizer_backend=remote"
    samples = simple_evaluate("local-completions", model_args=args, tasks=[generate, choose])["samples"]
    ordered = {name: sorted(each, key=lambda sample: sample["doc_id"]) for name, each in samples.items()}
    likelihoods = [[float(part[0]) for part in each["filtered_resps"]] for each in ordered["choose"]]
    return {
        "generate": [each["resps"][0][0] for each in ordered["generate"]],
        "choose": [choices[each.index(max(each))] for each in likelihoods],
    }


def ask_inspect():
    os.environ.update(STATELAB_BASE_URL=url, STATELAB_API_KEY="none")
    from inspect_ai import Task
    from inspect_ai import eval as run
    from inspect_ai.dataset import FieldSpec, json_dataset
    from inspect_ai.scorer import exact
    from inspect_ai.solver import generate

    task = Task(dataset=json_dataset(file, FieldSpec(input="prompt", target="expected", id="id")), solver=generate(max_tokens=1, temperature=0), scorer=exact())
    with tempfile.TemporaryDirectory() as logs:
        (log,) = run(task, model=f"openai-api/statelab/{model}", log_dir=logs, display="none")
        assert log.status == "success", log.error
        replies = {each.id: each.output.completion for each in log.samples}
    with open(file) as lines:
        return {"generate": [replies[json.loads(line)["id"]] for line in lines]}


print(json.dumps(globals()[f"ask_{client.replace('-', '_')}"]()))

"""A local judge on a tiny random LLaVA saved to disk."""

import numpy as np
import pytest
import torch
from PIL import Image

from revisit_metric.judge.interview import Interview, Manner
from revisit_metric.judge.local import LocalJudge, folder_sha256
from revisit_metric.judge.protocol import Judge, JudgeError, Picture, Question
from revisit_metric.judge.reply_store import ReplyStore
from revisit_metric.judge.rubric import REQUEST, load_rubric

TEMPLATE = (
    "{% for message in messages %}USER:{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %} <image>{% else %} {{ part['text'] }}{% endif %}"
    "{% endfor %}{% endfor %}{% if add_generation_prompt %} ASSISTANT:{% endif %}"
)
WORDS = ['{"score":4}', "<pad>", "</s>", "<unk>", "<image>", "USER:", "ASSISTANT:", *(f"w{k}" for k in range(40))]


def save_processor(folder):
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import CLIPImageProcessor, LlavaProcessor, PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel({word: k for k, word in enumerate(WORDS)}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    names = {"eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    LlavaProcessor(
        image_processor=CLIPImageProcessor(size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}),
        tokenizer=PreTrainedTokenizerFast(tokenizer_object=words, additional_special_tokens=["<image>"], **names),
        patch_size=14,
        vision_feature_select_strategy="default",
        chat_template=TEMPLATE,
        num_additional_image_tokens=1,
    ).save_pretrained(folder)


def save_model(folder, *, always_four):
    from transformers import CLIPVisionConfig, LlamaConfig, LlavaConfig, LlavaForConditionalGeneration

    small = {"hidden_size": 32, "intermediate_size": 37, "num_hidden_layers": 2, "num_attention_heads": 4}
    torch.manual_seed(0)
    config = LlavaConfig(
        vision_config=CLIPVisionConfig(image_size=28, patch_size=14, projection_dim=32, **small),
        text_config=LlamaConfig(
            vocab_size=len(WORDS), max_position_embeddings=4096, pad_token_id=1, eos_token_id=2, **small
        ),
        image_token_index=4,
    )
    model = LlavaForConditionalGeneration(config)
    if always_four:
        # All logits are equal, so the first word is written; the last token is made the end.
        torch.nn.init.zeros_(model.lm_head.weight)
        model.generation_config.forced_eos_token_id = 2
    model.save_pretrained(folder)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    found = {}
    for name in ("random", "four"):
        found[name] = tmp_path_factory.mktemp(name)
        save_processor(found[name])
        save_model(found[name], always_four=name == "four")
    return found


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def question(seed=0):
    rng = np.random.default_rng(seed)
    earlier, later = (Picture(rng.integers(0, 256, (48, 64, 3), np.uint8)) for _ in range(2))
    return Question(earlier, later, load_rubric())


def test_a_score_from_a_model_on_disk(folders, tmp_path):
    judge = LocalJudge(folders["four"], max_tokens=2, device="cpu")
    assert isinstance(judge, Judge)
    interview = Interview(judge, load_rubric(), ReplyStore(tmp_path), Manner(concurrency=4))
    questions = [question(seed) for seed in range(3)]
    outcomes = interview.judge_pairs([(asked.earlier, asked.later) for asked in questions])
    assert outcomes == [(4.0, None)] * 3


def test_a_reply_that_runs_into_the_limit_is_truncated(folders, tmp_path):
    judge = LocalJudge(folders["random"], max_tokens=5, device="cpu")
    reply = judge.ask(question())
    assert (reply.finish_reason, reply.usage.tokens_out) == ("length", 5)
    asked = question()
    outcome = Interview(judge, load_rubric(), ReplyStore(tmp_path)).judge_pairs([(asked.earlier, asked.later)])[0]
    assert outcome == (None, "judge: reply truncated")


def test_same_words_as_a_direct_call(folders):
    from transformers import AutoProcessor, LlavaForConditionalGeneration

    asked = question(1)
    processor = AutoProcessor.from_pretrained(folders["random"])
    model = LlavaForConditionalGeneration.from_pretrained(folders["random"])
    prompt = f"USER: {asked.rubric.text}\n\n{REQUEST} <image> <image> ASSISTANT:"
    images = [Image.fromarray(asked.earlier.frame), Image.fromarray(asked.later.frame)]
    inputs = processor(text=prompt, images=images, return_tensors="pt")
    output = model.generate(**inputs, max_new_tokens=6, do_sample=False)[0, inputs["input_ids"].shape[1] :]
    reply = LocalJudge(folders["random"], max_tokens=6, device="cpu").ask(asked)
    assert reply.text == processor.batch_decode([output], skip_special_tokens=True)[0]
    assert reply.usage.tokens_in == inputs["input_ids"].shape[1]


def test_identity_names_the_weights(folders):
    first = LocalJudge(folders["random"], max_tokens=5, device="cpu").identity()
    assert first["model_sha256"] == folder_sha256(folders["random"]) != folder_sha256(folders["four"])
    assert (first["dtype"], first["decoding"]) == ("float32", "greedy")


def test_a_model_that_fails_gives_no_reply(folders, monkeypatch):
    judge = LocalJudge(folders["four"], max_tokens=2, device="cpu")

    def out_of_memory(**_):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(judge._model, "generate", out_of_memory)
    with pytest.raises(JudgeError, match="model failed: CUDA out of memory"):
        judge.ask(question())


def test_no_model(tmp_path):
    with pytest.raises(ValueError, match="holds no model"):
        LocalJudge(tmp_path, device="cpu")

"""The client meets a server that nobody here wrote: `transformers serve`, with a tiny random model.

A random model obeys no schema. What must hold: the server takes our requests, counts their tokens,
and every reply is read or set aside with its text.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from factchain.questions.llm.client import ModelClient
from factchain.questions.llm.protocol import Quarantined
from factchain.questions.llm.settings import ModelSettings
from questions_llm import Answer, ask

pytestmark = [pytest.mark.torch, pytest.mark.slow]

TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}"
    "assistant:"
)


def make_model(folder: Path) -> None:
    """A Llama of some thousand random weights, whose tokens are bytes."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({sign: n for n, sign in enumerate(["</s>", *letters])}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="</s>", pad_token="</s>", chat_template=TEMPLATE
    )
    fast.save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=len(fast),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=4096,
        bos_token_id=0,
        eos_token_id=0,
        pad_token_id=0,
    )
    LlamaForCausalLM(config).save_pretrained(folder)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Address of the server, and the name of its model."""
    for needed in ("torch", "transformers", "fastapi", "uvicorn", "accelerate"):
        pytest.importorskip(needed, reason=f"`transformers serve` needs {needed}")
    executable = Path(sys.executable).with_name("transformers")
    if not executable.exists():
        pytest.skip("the `transformers` command is not installed")
    folder = tmp_path_factory.mktemp("model")
    make_model(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(executable), "serve", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    log = (folder / "log.txt").open("wb")
    with log, subprocess.Popen([*command, "--device", "cpu"], stdout=log, stderr=log) as process:
        try:
            _wait(process, f"http://127.0.0.1:{port}/openapi.json", folder / "log.txt")
            yield f"http://127.0.0.1:{port}/v1", str(folder)
        finally:
            process.terminate()


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + 300
    while True:
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        try:
            requests.get(url, timeout=30)
        except requests.ConnectionError:
            time.sleep(0.5)
        else:
            return


def test_a_random_model_ends_in_quarantine_and_its_tokens_are_counted(
    server: tuple[str, str], journal: Path
) -> None:
    url, name = server
    settings = ModelSettings(name, url, concurrency=2, attempts=2, max_tokens=100_000)
    wanted: list[Any] = [ask(f"Question {n}?", max_tokens=24) for n in range(4)]
    with ModelClient(settings, journal) as model:
        replies = model.ask_all(wanted, "reading")
        (account,) = model.journal.accounts()
        assert model.journal.spent().tokens == account["prompt_tokens"] + account["reply_tokens"]
        assert model.ask_all(wanted, "reading again") == replies
        assert model.journal.accounts() == [account]
    assert 4 <= account["requests"] <= 8, "each is asked once, and repaired once at most"
    assert account["prompt_tokens"] > 4 * len("You answer questions. Question 0?")
    assert 0 < account["reply_tokens"] <= 24 * account["requests"]
    for reply in replies:
        assert isinstance(reply, Quarantined | Answer)
        if isinstance(reply, Quarantined):
            assert reply.problem

"""The budget is never passed, whatever the concurrency."""

from __future__ import annotations

import asyncio
import random
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from factchain.errors import ConfigError, ModelError
from factchain.questions.llm.budget import Budget, Cost, upper_bound
from factchain.questions.llm.client import ModelClient
from factchain.questions.llm.estimate import estimate
from factchain.questions.llm.exchanges import first_request
from factchain.questions.llm.journal import Journal, Spent
from factchain.questions.llm.prices import Price, known_price, read_price
from factchain.questions.llm.protocol import Ask
from factchain.questions.llm.settings import ModelSettings
from questions_llm import answers, ask, asks, echo, settings_of
from scripted_server import ScriptedServer, Silent

PRICE = Price(1000.0, 2000.0)
"""A dollar for a thousand tokens."""


class Meter:
    """A server's own account: what it would write on the bill."""

    def __init__(self) -> None:
        self.tokens, self._lock = 0, threading.Lock()

    def __call__(self, body: dict[str, Any]) -> dict[str, str]:
        reply = echo(body)
        sent = sum(len(one["content"]) for one in body["messages"]) // 4
        with self._lock:
            self.tokens += sent + len(str(reply).replace("'", '"')) // 4 + 1
        return reply


@pytest.mark.parametrize("concurrency", [1, 4, 32])
def test_the_server_s_account_stays_below_the_limit_and_going_on_costs_the_rest(
    concurrency: int, journal: Path
) -> None:
    meter, limit = Meter(), 3000
    with ScriptedServer(meter, latency=0.002) as server:
        tight = settings_of(server, max_tokens=limit, concurrency=concurrency)
        runs = 0
        while True:  # replies that stay below their bound leave room for more
            runs += 1
            with ModelClient(tight, journal) as model:
                with pytest.raises(ModelError, match=r"--max-tokens 3000: \d+ are spent"):
                    model.ask_all(asks(400), "reading")
                spent = model.journal.spent().tokens
            assert spent == meter.tokens <= limit
            if runs == 2:
                break
        assert meter.tokens > limit - 2000, "the budget is used"
        seen = len(server.chats)
        with ModelClient(settings_of(server, max_tokens=10**6), journal) as model:
            assert model.ask_all(asks(400), "reading") == answers(400)
        assert len(server.chats) == 400, "what was paid for is not paid again"
        assert seen < 400


def test_dollars(journal: Path) -> None:
    with ScriptedServer(echo) as server:
        settings = settings_of(server, max_usd=3.0, price=PRICE, concurrency=16)
        with ModelClient(settings, journal) as model:
            with pytest.raises(ModelError, match=r"--max-usd 3: \$\d\.\d+ are spent"):
                model.ask_all(asks(500), "reading")
            (account,) = model.journal.accounts()
            bill = PRICE.usd(account["prompt_tokens"], account["reply_tokens"])
            assert model.journal.spent().usd == pytest.approx(bill)
            assert 1.0 < bill <= 3.0


def test_a_server_that_tells_no_usage_is_counted_by_the_upper_bound(journal: Path) -> None:
    with ScriptedServer(lambda body: Silent({"answer": "x"})) as server:
        settings = settings_of(server)
        with ModelClient(settings, journal) as model:
            model.ask_all(asks(3), "reading")
            bounds = [upper_bound(first_request(one, settings)) for one in asks(3)]
            assert model.journal.spent().tokens == sum(b.prompt + b.reply for b in bounds)


@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(0, 50)), min_size=1, max_size=60),
    st.integers(50, 400),
    st.integers(1, 20),
    st.randoms(use_true_random=False),
)
@settings(max_examples=60, deadline=None)
def test_spent_and_reserved_never_pass_the_limit(
    requests: list[tuple[int, int]], limit: int, workers: int, rng: random.Random
) -> None:
    seen: list[int] = []

    async def run() -> int:
        budget = Budget(ModelSettings("m", "http://x/v1", max_tokens=limit), Spent(0, 0.0, 0))
        reserved, spent = 0, 0
        queue = iter(requests)

        async def work() -> None:
            nonlocal reserved, spent
            for bound, saved in queue:
                try:
                    await budget.reserve(Cost(bound, None))
                except ModelError:
                    return
                reserved += bound
                seen.append(reserved + spent)
                for _ in range(rng.randrange(4)):
                    await asyncio.sleep(0)
                actual = max(0, bound - saved)
                reserved, spent = reserved - bound, spent + actual
                budget.settle(Cost(bound, None), Cost(actual, None))

        await asyncio.gather(*(work() for _ in range(workers)))
        return spent

    spent = asyncio.run(run())
    assert max(seen) <= limit
    fits = sum(max(0, bound - saved) for bound, saved in requests)
    if sum(bound for bound, _ in requests) <= limit:
        assert spent == fits, "what fits is done"


@given(st.text(), st.text(), st.integers(1, 1000))
def test_no_vocabulary_of_bytes_makes_more_tokens_than_the_bound(
    system: str, user: str, limit: int
) -> None:
    class Reply(BaseModel):
        answer: str

    request = first_request(Ask("p", system, user, Reply, limit), ModelSettings("m", "http://x"))
    bound = upper_bound(request)
    assert bound.prompt >= len(system.encode()) + len(user.encode()) + 8
    assert bound.reply == limit


def test_a_model_without_a_known_price_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"price of my-llama is not known.*--price IN,OUT"):
        ModelSettings("my-llama", max_usd=1.0)
    assert ModelSettings("my-llama", max_usd=1.0, price=Price(0, 0)).max_usd == 1.0
    assert ModelSettings("my-llama", max_tokens=5).price_of_model is None


def test_prices_of_the_list_and_by_hand() -> None:
    assert known_price("gpt-4o-mini") == Price(0.15, 0.60)
    assert known_price("gpt-4o-mini-2024-07-18") == Price(0.15, 0.60)
    assert known_price("gpt-4o-mini-tuned") is None
    assert read_price("0.15,0.6") == Price(0.15, 0.6)
    assert Price(1.0, 3.0).usd(1_000_000, 2_000_000) == 7.0
    for bad in ("", "1", "1,2,3", "a,b", "-1,2", "nan,1", "1;2", "inf,1"):
        with pytest.raises(ConfigError, match="--price"):
            read_price(bad)
    assert ModelSettings("gpt-4o-mini", batch=True).price_of_model == Price(0.075, 0.30)
    by_hand = ModelSettings("gpt-4o-mini", price=Price(1, 2))
    assert by_hand.price_of_model == Price(1, 2)


def test_earlier_replies_without_a_price_are_told(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedServer(echo) as server:
        with ModelClient(settings_of(server), journal) as model:
            model.ask_all(asks(3), "reading")
        with ModelClient(settings_of(server, max_usd=1.0, price=PRICE), journal):
            pass
    assert re.search("3 exchanges .* without a known price", capsys.readouterr().err)


def test_the_estimate_bounds_what_is_spent_and_knows_the_journal(journal: Path) -> None:
    questions = [*asks(10), *asks(10), ask("Où est né l’auteur?", max_tokens=100)]
    with ScriptedServer(echo) as server:
        settings = settings_of(server, price=PRICE)
        (before,) = estimate(questions, settings)
        assert (before.purpose, before.requests, before.in_journal) == ("read", 11, 0)
        assert before.expected_tokens < before.most_tokens
        with ModelClient(settings, journal) as model:
            model.ask_all(questions[:5], "reading")
            (middle,) = estimate(questions, settings, model.journal)
            assert (middle.requests, middle.in_journal) == (6, 5)
            model.ask_all(questions, "reading")
            spent = model.journal.spent()
        assert spent.tokens <= before.most_tokens
        assert before.most_usd is not None
        assert spent.usd <= before.most_usd
        with Journal(journal) as read:
            (after,) = estimate(questions, settings, read)
        assert (after.requests, after.in_journal, after.most_tokens) == (0, 11, 0)
        assert after.most_usd == 0.0

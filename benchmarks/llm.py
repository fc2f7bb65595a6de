"""Requests a second: factchain's model client against the bare `openai` client, in one run.

A server in a process of its own answers each request after 50 ms, so 64 requests in flight make
1,280 a second at best. The bare client sends with a semaphore and keeps nothing; factchain reserves
a budget, keeps a journal on disk, and checks each reply against its schema. Each contestant is
judged by the best of its rounds; the seconds of CPU tell what it takes on a machine that is busy.

    python benchmarks/llm.py                        2,000 questions, 50 ms, 64 in flight
    python benchmarks/llm.py --in-flight 16         fewer at a time
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

MODEL = "scripted"
SYSTEM = "You answer questions from the facts that are given, and from nothing else. " * 3
REPLY = json.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": MODEL,
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": '{"answer": "Paris"}'},
            }
        ],
        "usage": {"prompt_tokens": 50, "completion_tokens": 5, "total_tokens": 55},
    }
).encode()
RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (
    len(REPLY),
    REPLY,
)


class Delayed(asyncio.Protocol):
    """Answers each request on a connection alike, after a while; it reads no more than lengths."""

    def __init__(self, latency: float) -> None:
        self._latency = latency
        self._waiting = b""

    def connection_made(self, transport: Any) -> None:
        """Remember where to answer."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer when a request is whole."""
        self._waiting += data
        head, _, body = self._waiting.partition(b"\r\n\r\n")
        length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]
        if length and len(body) >= int(length):
            self._waiting = b""
            loop = asyncio.get_running_loop()
            loop.call_later(self._latency, self._transport.write, RESPONSE)


async def serve(latency: float) -> None:
    """Serve until killed; the port is printed."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Delayed(latency), "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def questions(count: int, repetition: int) -> list[str]:
    """Questions as long as those of four hops, with their facts."""
    facts = "Facts: (Film, director, Person); (Person, place of birth, Town). " * 4
    return [f"{facts} Question {repetition}-{number}?" for number in range(count)]


def bare(url: str, in_flight: int, *, aiohttp: bool) -> Callable[[list[str]], None]:
    """The `openai` client and a semaphore, over httpx or aiohttp."""
    import openai

    async def ask_all(texts: list[str]) -> None:
        transport = openai.DefaultAioHttpClient() if aiohttp else None
        semaphore = asyncio.Semaphore(in_flight)
        async with openai.AsyncOpenAI(
            base_url=url, api_key="none", max_retries=0, http_client=transport
        ) as client:

            async def ask(text: str) -> str | None:
                async with semaphore:
                    completion = await client.chat.completions.create(
                        model=MODEL,
                        messages=[
                            {"role": "system", "content": SYSTEM},
                            {"role": "user", "content": text},
                        ],
                        temperature=0,
                        max_tokens=512,
                    )
                return completion.choices[0].message.content

            replies = await asyncio.gather(*map(ask, texts))
        assert all(json.loads(reply)["answer"] == "Paris" for reply in replies)

    return lambda texts: asyncio.run(ask_all(texts))


def factchain(url: str, in_flight: int, folder: Path) -> Callable[[list[str]], None]:
    """The model client, with a budget and a journal."""
    from pydantic import BaseModel

    from factchain import progress
    from factchain.questions.llm.client import ModelClient
    from factchain.questions.llm.protocol import Ask
    from factchain.questions.llm.settings import ModelSettings

    class Answer(BaseModel):
        answer: str

    progress.set_silent(True)

    def ask_all(texts: list[str]) -> None:
        settings = ModelSettings(MODEL, url, concurrency=in_flight, max_tokens=10**12)
        asks = [Ask("read", SYSTEM, text, Answer) for text in texts]
        with ModelClient(settings, folder / "journal.sqlite") as client:
            replies = client.ask_all(asks, "reading")
        assert replies == [Answer(answer="Paris")] * len(texts)

    return ask_all


def compare(count: int, latency: float, in_flight: int, rounds: int) -> None:
    """Let the contestants ask in turn, and print a table of their best rounds."""
    command = [sys.executable, __file__, "--serve", "--latency", str(latency)]
    ideal = in_flight / latency
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server,
    ):
        assert server.stdout is not None
        url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        contestants = {
            "openai, semaphore, httpx": bare(url, in_flight, aiohttp=False),
            "openai, semaphore, aiohttp": bare(url, in_flight, aiohttp=True),
            "factchain": factchain(url, in_flight, Path(folder)),
        }
        best: dict[str, tuple[float, float]] = {}
        for repetition in range(rounds + 1):
            texts = questions(count if repetition else in_flight, repetition)
            for name, ask_all in contestants.items():
                start, cpu = time.perf_counter(), time.process_time()
                ask_all(texts)
                took = time.perf_counter() - start, time.process_time() - cpu
                if repetition:  # the first round only imports and connects
                    best[name] = min(best.get(name, took), took)
        server.kill()
    print(f"{count:,} questions, {latency * 1000:g} ms, {in_flight} in flight")
    print("| client | requests/s | share of the ideal | ratio | CPU, ms a request |")
    print("| --- | --- | --- | --- | --- |")
    slowest = next(iter(best.values()))[0]
    for name, (seconds, cpu) in best.items():
        rate = count / seconds
        print(
            f"| {name} | {rate:,.0f} | {rate / ideal:.0%} | {slowest / seconds:.2f} "
            f"| {cpu / count * 1000:.2f} |"
        )
    print(f"| ideal | {ideal:,.0f} | 100% | | |")


def main() -> None:
    """Read the arguments."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=2000)
    parser.add_argument("--latency", type=float, default=0.05, help="seconds")
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--serve", action="store_true", help="be the server")
    arguments = parser.parse_args()
    if arguments.serve:
        asyncio.run(serve(arguments.latency))
    else:
        compare(arguments.questions, arguments.latency, arguments.in_flight, arguments.rounds)


if __name__ == "__main__":
    main()

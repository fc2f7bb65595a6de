"""The report by keyboard alone, in a real browser without network."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from factchain.eval.report.evaluation import report_evaluation
from factchain.eval.scores import write_scores
from score_rows import row, table

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH: apt-get install chromium"),
]

KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowDown": 40}
FOCUS = "document.activeElement.textContent.trim() || document.activeElement.name"
SHOWN = (
    "[...document.querySelectorAll('#all tbody tr:not([hidden])')].map(r => r.dataset.hops).join()"
)


class Page:
    """A page of a browser that is driven by keys."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0

    async def call(self, method: str, **values: Any) -> dict[str, Any]:
        self._number += 1
        await self._socket.send_json({"id": self._number, "method": method, "params": values})
        while True:
            answer = await self._socket.receive_json(timeout=60)
            if answer.get("id") == self._number:
                return dict(answer["result"])

    async def value(self, script: str) -> Any:
        found = await self.call("Runtime.evaluate", expression=script, returnByValue=True)
        return found["result"].get("value")

    async def press(self, key: str) -> None:
        code = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key]}
        text = {"text": "\r"} if key == "Enter" else {}
        await self.call("Input.dispatchKeyEvent", type="keyDown", **code, **text)
        await self.call("Input.dispatchKeyEvent", type="keyUp", **code)

    async def tab_to(self, wanted: str) -> None:
        """Press Tab until what has the focus is so named; fails after a whole round."""
        for _ in range(200):
            await self.press("Tab")
            if (await self.value(FOCUS)) == wanted:
                return
        raise AssertionError(f"no Tab leads to {wanted!r}")

    async def until(self, script: str) -> None:
        """Wait until a condition holds."""
        for _ in range(300):
            if await self.value(script):
                return
            await asyncio.sleep(0.1)
        raise AssertionError(f"never true: {script}")


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """A browser's port for being driven."""
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
    options += ["--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND"]
    profile = tmp_path / "profile"
    browser = subprocess.Popen(
        [str(CHROMIUM), *options, f"--user-data-dir={profile}", "--remote-debugging-port=0"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    told = profile / "DevToolsActivePort"
    try:
        for _ in range(300):
            if told.exists() and told.read_text().count("\n"):
                break
            time.sleep(0.1)
        yield int(told.read_text().splitlines()[0])
    finally:
        browser.terminate()
        browser.wait(timeout=30)


def drive(port: int, address: str, work: Callable[[Page], Awaitable[None]]) -> None:
    """Open an address and do something with the page."""

    async def run() -> None:
        async with aiohttp.ClientSession() as session:
            opened = await session.put(f"http://127.0.0.1:{port}/json/new?about:blank")
            at = (await opened.json())["webSocketDebuggerUrl"]
            async with session.ws_connect(at, max_msg_size=0) as socket:
                page = Page(socket)
                await page.call("Page.navigate", url=address)
                await page.until("document.readyState === 'complete' && !!window.filter")
                await work(page)

    asyncio.run(run())


def test_filter_sort_and_pages_need_no_mouse(
    write_workspace: Callable[[str], Path], tmp_path: Path, port: int
) -> None:
    folder = write_workspace("evaluated")
    rows = [row(f"q-{i}", float(i % 2), prediction="said") for i in range(1, 6)]
    write_scores(folder / "eval" / "scores.parquet", table(*rows))
    report_evaluation([folder], tmp_path / "report.html")

    async def work(page: Page) -> None:
        await page.press("Tab")
        assert await page.value(FOCUS) == "Skip to the contents"
        before = await page.value(SHOWN)
        await page.tab_to("text")
        await page.call("Input.insertText", text="author of")
        await page.until(f"{SHOWN} !== '{before}'")
        assert "of 5 questions" in await page.value("document.getElementById('shown').textContent")
        await page.tab_to("Clear")
        await page.press("Enter")
        await page.until(f"{SHOWN} === '{before}'")
        await page.tab_to("Hops")
        await page.press("Enter")
        assert await page.value(SHOWN) == ",".join(sorted(before.split(",")))
        await page.press("Enter")
        assert await page.value(SHOWN) == ",".join(sorted(before.split(","), reverse=True))
        question = await page.value("document.querySelector('#all tbody a').textContent")
        await page.tab_to(question)
        await page.press("Enter")
        await page.until("document.getElementById('page').open")
        assert await page.value(FOCUS) == question
        await page.press("Escape")
        await page.until("!document.getElementById('page').open")
        assert await page.value(FOCUS) == question

    drive(port, (tmp_path / "report.html").as_uri(), work)

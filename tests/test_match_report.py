"""The page of a match: what it holds, and how it behaves in a browser, where there is one."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import gnubg_py
from gnubg_py.game.record import MatchRecord
from gnubg_py.matches.match_analysis import MatchAnalysis
from gnubg_py.matches.report_html import entry_numbers, match_report, report_data
from tests.random_matches import random_match
from tests.test_analyse_command import short_match

EVIL = "</script><script>alert(1)</script>"
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)


@pytest.fixture(scope="module")
def analysis() -> MatchAnalysis:
    """A short match, one of the players with a name that would be a script."""
    return gnubg_py.analyse(short_match("Ann", EVIL), ply=0)


def data_of(page: str) -> dict[str, Any]:
    """The data in a page."""
    found = re.search(r'type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    value: dict[str, Any] = json.loads(found[1])
    return value


def test_the_page_holds_the_decisions(analysis: MatchAnalysis) -> None:
    page = match_report(analysis)
    data = data_of(page)
    assert data["players"] == ["Ann", EVIL]
    assert data == json.loads(json.dumps(report_data(analysis)))
    losses = [entry["l"] for entry in data["entries"]]
    assert sum(losses) == pytest.approx(sum(one.loss for one in analysis), abs=1e-3)
    numbers = entry_numbers(analysis)
    worst = analysis.mistakes()[0]
    assert data["entries"][numbers[worst.place]]["l"] == max(losses)


def test_names_are_escaped_and_nothing_is_loaded(analysis: MatchAnalysis) -> None:
    page = match_report(analysis)
    assert "<script>alert" not in page
    assert html.escape(EVIL) in page
    assert not re.search(r'(src|href)\s*=\s*"', page)
    assert "url(" not in page
    # The one address is the name of the language that drawings are made in.
    assert set(re.findall(r"https?://[^\"' ]+", page)) == {"http://www.w3.org/2000/svg"}


def test_a_long_match_is_a_small_page() -> None:
    analysis = gnubg_py.analyse(random_match(3, 25), ply=0)
    page = match_report(analysis)
    assert len(page.encode()) < 3_000_000
    assert len(page.encode()) / max(1, len(analysis)) < 1200 + 30_000 / max(1, len(analysis))


def test_boards_have_all_checkers(analysis: MatchAnalysis) -> None:
    for entry in data_of(match_report(analysis))["entries"]:
        rows = [[int(c, 16) for c in entry["b"][25 * p : 25 * p + 25]] for p in (0, 1)]
        assert [sum(row) for row in rows] == [15, 15]


SCRIPT = """<script>
"use strict";
const said = [];
window.addEventListener("error", event => said.push(String(event.message)));
console.error = (...words) => said.push(words.join(" "));
window.addEventListener("load", () => {
  const out = {};
  const text = id => document.getElementById(id).textContent;
  const press = key => document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
  const choose = (id, value) => {
    document.getElementById(id).value = value;
    document.getElementById(id).dispatchEvent(new Event("change"));
  };
  out.first = text("words");
  press("ArrowRight"); out.second = text("words");
  press("ArrowLeft"); out.back = text("words");
  press("End"); out.last = text("words"); press("Home");
  press("n"); out.mistake = text("words");
  out.all = text("count");
  for (const what of ["mistakes", "blunders", "cubes", "lucky", "unlucky"]) {
    choose("what", what); out[what] = text("count");
  }
  choose("what", "all"); choose("who", "0"); out.ann = text("count"); choose("who", "");
  window.dispatchEvent(new Event("beforeprint"));
  out.sheets = document.querySelectorAll(".sheet svg").length;
  out.circles = document.querySelectorAll("#board circle").length;
  out.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  out.width = document.documentElement.clientWidth;
  out.said = said;
  parent.postMessage(JSON.stringify(out), "*");
});
</script>"""

# A window cannot be as narrow as a telephone, but a frame in it can.
FRAME = """<!doctype html><meta charset="utf-8"><iframe src="page.html" height="900" width="WIDTH"
style="border:0"></iframe><pre id="tested"></pre><script>window.addEventListener("message",
event => { document.getElementById("tested").textContent = event.data; });</script>"""


def browsed(page: str, folder: Path, width: int) -> dict[str, Any]:
    """What the test's script saw in a browser's frame so wide."""
    assert BROWSER is not None
    (folder / "page.html").write_text(page.replace("<head>", "<head>" + SCRIPT, 1), "utf-8")
    path = folder / "frame.html"
    path.write_text(FRAME.replace("WIDTH", str(width)), "utf-8")
    command = [
        BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
        "--hide-scrollbars", "--window-size=1400,1000", "--virtual-time-budget=3000",
        "--dump-dom", path.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, timeout=120, check=True)
    found = re.search(r'<pre id="tested">(.*?)</pre>', done.stdout.decode(), re.DOTALL)
    assert found is not None
    value: dict[str, Any] = json.loads(html.unescape(found[1]))
    return value


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_in_a_browser(analysis: MatchAnalysis, tmp_path: Path, width: int) -> None:
    seen = browsed(match_report(analysis), tmp_path, width)
    entries = report_data(analysis)["entries"]
    count = {
        "all": len(entries),
        "mistakes": sum(entry["l"] >= 0.02 for entry in entries),
        "blunders": sum(entry["l"] >= 0.08 for entry in entries),
        "cubes": sum(entry["k"] > 0 for entry in entries),
        "lucky": sum((entry.get("lu") or 0) >= 0.3 for entry in entries),
        "unlucky": sum((entry.get("lu") or 0) <= -0.3 for entry in entries),
        "ann": sum(entry["p"] == 0 for entry in entries),
    }
    assert {name: int(seen[name].split()[0]) for name in count} == count
    assert seen["said"] == []
    assert "24/23 24/21" in seen["first"]
    assert seen["first"] == seen["back"] != seen["second"]
    assert "Game 2" in seen["last"]
    assert "lost" in seen["mistake"]
    assert seen["sheets"] == sum(entry["l"] >= 0.04 for entry in entries)
    assert seen["circles"] >= 22
    assert seen["wide"] == 0
    assert width - 20 < seen["width"] <= width


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_a_match_without_moves_in_a_browser(tmp_path: Path) -> None:
    page = match_report(gnubg_py.analyse(MatchRecord(length=7), ply=0))
    assert browsed(page, tmp_path, 800)["said"] == []

"""The page as people use it: a real server, the real index, Debian's Chromium."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, run

CHROMIUM = next((p for p in ("/usr/bin/chromium", shutil.which("chromium"), shutil.which("google-chrome")) if p and Path(p).exists()), None)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None and not os.environ.get("RELEASE_QA_REQUIRE"), reason="no Chromium: apt-get install chromium"
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def address(index_folder):
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "--port", "0", "--index", str(index_folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )  # fmt: skip
    line = process.stdout.readline()
    yield re.search(r"http://\S+", line)[0]
    process.terminate()
    process.wait(timeout=20)


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )  # fmt: skip
        yield chromium
        chromium.close()


@pytest.fixture(params=["en-US", "zh-CN"])
def page(request, browser, address):
    context = browser.new_context(locale=request.param, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.outside = []

    def only_here(route):
        if route.request.url.startswith((address, "data:", "blob:")):
            route.continue_()
        else:
            page.outside.append(route.request.url)
            route.abort()

    page.route("**/*", only_here)
    page.goto(address)
    page.lang = "zh" if request.param.startswith("zh") else "en"
    yield page
    assert page.outside == []
    context.close()


def words(page):
    from app.messages import WORDS

    return WORDS[page.lang]


def ask(page, question):
    box = page.get_by_label(words(page)["question"])
    box.fill(question)
    box.press("Enter")


def test_a_question_is_answered_and_its_passages_stand_beside_it(page):
    question, fact = {"en": ("How much faster is batched eigh in PyTorch 2.12?", "100"), "zh": ("2.12 的 eigh 快了多少？", "100")}[
        page.lang
    ]
    ask(page, question)
    card = page.locator("#turn-0-source-1")
    card.wait_for(timeout=20_000)
    assert fact in page.get_by_role("log").inner_text()
    assert fact in card.locator("mark").inner_text()
    page.get_by_role("log").get_by_role("link", name="[1]").click()
    assert page.url.endswith("#turn-0-source-1")
    assert card.get_by_role("link").get_attribute("rel") == "noopener noreferrer"


def test_what_is_typed_stays_as_typed(page):
    typed = "What about List<int> and <think> in `torch`, $x$ | <b>bold</b>?"
    ask(page, typed)
    page.get_by_text(typed, exact=True).wait_for(timeout=20_000)
    assert page.locator("b", has_text="bold").count() == 0


def test_a_refusal_is_in_the_questions_language_without_sources(page):
    ask(page, {"en": "What is the best pizza topping in Naples?", "zh": "今天上海的天气怎么样？"}[page.lang])
    page.get_by_role("log").get_by_text(words(page)["abstain"]).wait_for(timeout=20_000)
    assert page.locator(".source").count() == 0


def test_starters_ask_and_new_chat_clears(page):
    from app.page import STARTERS

    page.get_by_role("button", name=STARTERS[page.lang][0]).click()
    page.locator("#turn-0-source-1").wait_for(timeout=20_000)
    page.get_by_role("button", name=words(page)["clear"]).click()
    page.locator("#turn-0-source-1").wait_for(state="detached", timeout=20_000)


def test_an_unreadable_question_gets_its_line_and_the_page_goes_on(page):
    ask(page, "?!")
    page.get_by_text("holds no letters or digits").wait_for(timeout=20_000)
    ask(page, "What is AOTInductor?")
    page.locator("#turn-1-source-1").wait_for(timeout=20_000)


def test_a_phone_shows_it_without_sideways_scrolling(browser, address):
    context = browser.new_context(viewport={"width": 390, "height": 844}, locale="zh-CN")
    page = context.new_page()
    page.goto(address)
    page.get_by_role("button", name="提问", exact=True).wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()


def test_a_taken_port_gives_one_line(address):
    result = run("-m", "app", "--port", address.rsplit(":", 1)[1])
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert "name another port" in result.stderr

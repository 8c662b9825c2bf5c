"""The server: LanguageTool's interface, JSON for programs, the page, limits, malformed requests."""

from __future__ import annotations

import asyncio
import json
import random
import re
import signal
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

import semipunct
from semipunct.cli.signals import end_at_signals
from semipunct.pipelines.marked_text import PunctuatedText
from semipunct.pipelines.parses import Parse
from semipunct.store.installed import InstalledModel
from tests.commands import run
from tests.web.conftest import LIMIT, free_port

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("httpx2", reason="httpx2, with which the server is tested, is not installed")
from starlette.testclient import TestClient

from semipunct.pipelines.marked_text import changes
from semipunct.web.app import application
from semipunct.web.batches import Batches, Work
from semipunct.web.requests import BadRequest

WRONG = "However I think its fine. He said that the man which I know, is here"

WORK = Work("correct", "en")

STOPPING = (signal.SIGINT, signal.SIGTERM)


def run_apart(asking: Any) -> Any:
    """Run a coroutine in a thread of its own: the browser's loop may be running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, asking).result()


@pytest.fixture(scope="module")
def client(app: Any) -> Iterator[TestClient]:
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def applied(text: str, matches: list[dict[str, Any]]) -> str:
    """Apply the first replacement of each match, with offsets in UTF-16 units."""
    units = text.encode("utf-16-le")
    for match in sorted(matches, key=lambda match: -match["offset"]):
        start, end = 2 * match["offset"], 2 * (match["offset"] + match["length"])
        units = units[:start] + match["replacements"][0]["value"].encode("utf-16-le") + units[end:]
    return units.decode("utf-16-le")


@pytest.mark.parametrize(
    "text",
    [WRONG, "😀 " + WRONG, WRONG + "\n\n" + WRONG + " 😀😀 However it is , late .", "", "\n", "a"],
)
def test_matches_are_the_corrections(client: TestClient, english: Any, text: str):
    answer = client.post("/v2/check", data={"text": text, "language": "en-US"})
    assert answer.status_code == 200, answer.text
    matches = answer.json()["matches"]
    assert applied(text, matches) == str(english.correct(text))
    assert all(match["length"] > 0 and match["message"] for match in matches)
    assert all(match["rule"]["id"].startswith("SEMIPUNCT_") for match in matches)


def test_the_reason_is_the_message(client: TestClient):
    answer = client.post("/v2/check", data={"text": WRONG, "language": "auto"}).json()
    assert answer["matches"][0]["message"] == "“However” introduces the sentence: a comma after it."
    assert answer["matches"][0]["replacements"] == [{"value": "However,"}]
    assert answer["language"]["code"] == "en"


@pytest.mark.parametrize(
    "path", ["/v2/check", "/check", "/v2/check/v2/check", "/v2/v2/check", "/api/v2/check"]
)
def test_bases_of_clients(client: TestClient, path: str):
    assert client.post(path, data={"text": WRONG}).json()["matches"]
    assert client.get(path.replace("check", "languages")).json()[0]["code"] == "en"


def test_a_form_sent_as_json_and_the_reverse(client: TestClient):
    expected = client.post("/v2/check", data={"text": WRONG}).json()["matches"]
    form = client.post(
        "/v2/check", content="language=en-US&text=" + WRONG.replace(" ", "+"),
        headers={"content-type": "application/json"},
    )  # fmt: skip
    as_json = client.post(
        "/v2/check", content=json.dumps({"text": WRONG}),
        headers={"content-type": "application/x-www-form-urlencoded"},
    )  # fmt: skip
    query = client.get("/v2/check", params={"text": WRONG})
    assert [a.json()["matches"] for a in (form, as_json, query)] == [expected] * 3


def test_markup_counts_in_offsets(client: TestClient, english: Any):
    parts = [{"markup": "<p>😀"}, {"text": "However I think "}, {"markup": "<b>"},
             {"text": "its"}, {"markup": "</b>", "interpretAs": ""},
             {"text": " fine. However we stayed."}, {"markup": "</p>"}]  # fmt: skip
    document = "".join(part.get("text", part.get("markup", "")) for part in parts)
    data = {"data": json.dumps({"annotation": parts}), "language": "en-GB"}
    matches = client.post("/v2/check", data=data).json()["matches"]
    assert len(matches) >= 2
    new = applied(document, matches)
    assert new.startswith("<p>😀However, I think <b>its</b>")
    assert new.endswith("</p>")
    plain = "".join(part.get("text", "") for part in parts)
    assert re.sub("<.*?>", "", new).replace("😀", "") == english.correct(plain)


def test_what_markup_is_interpreted_as_is_never_replaced(client: TestClient):
    parts = [{"markup": "<i/>", "interpretAs": "However"}, {"text": " I think its fine."}]
    data = {"data": json.dumps({"annotation": parts})}
    for match in client.post("/v2/check", data=data).json()["matches"]:
        assert match["offset"] >= 4


@pytest.mark.parametrize("task", ["restore", "correct"])
def test_json_for_programs(client: TestClient, english: Any, task: str):
    text = "He said that, he knew <b>who</b> came. Do you know him.\n\nwe came home 😀 it was late"
    answer = client.post(f"/v1/{task}", json={"text": text}).json()
    expected = getattr(english, task)(text)
    assert answer["text"] == expected
    assert [mark["reason"] for mark in answer["marks"]] == [m.reason for m in expected.marks]
    assert "".join(piece["text"] for piece in answer["pieces"]) == expected
    refused = "".join(piece.get("before", piece["text"]) for piece in answer["pieces"])
    assert refused.lower() == text.lower()
    assert any("marks" in piece for piece in answer["pieces"])


def test_other_answers(client: TestClient):
    assert client.get("/health").json()["status"] == "ok"
    assert client.get("/v2/healthcheck").text == "OK"
    software = client.get("/v2/info").json()["software"]
    assert (software["name"], software["premium"]) == ("semipunct", False)
    for answer in (client.get("/v2/words"), client.post("/v2/words/add", data={"word": "a"})):
        assert (answer.status_code, "user" in answer.text) == (400, True)
    assert client.get("/v2/maxtextlength").text == str(LIMIT)
    refused = client.post("/v1/parse", json={"text": "so"})
    assert (refused.status_code, "no parser" in refused.text) == (501, True)
    assert client.get("/nowhere").status_code == 404


RULE = "SEMIPUNCT_INSERTED_COMMA_INTRODUCTORY"


@pytest.mark.parametrize(
    "settings, is_found",
    [
        ({"disabledRules": f"OTHER,{RULE}"}, False),
        ({"disabledRules": "OTHER"}, True),
        ({"disabledCategories": "PUNCTUATION"}, False),
        ({"disabledCategories": "PUNCTUATION", "enabledRules": RULE}, True),
        ({"disabledCategories": "PUNCTUATION", "enabledCategories": "PUNCTUATION"}, True),
        ({"enabledRules": "OTHER"}, True),
        ({"enabledRules": "OTHER", "enabledOnly": "true"}, False),
        ({"enabledRules": RULE, "enabledOnly": "true"}, True),
        ({"enabledCategories": "PUNCTUATION", "enabledOnly": "yes"}, True),
        ({"enabledCategories": "TYPOS", "enabledOnly": "true"}, False),
    ],
)
def test_rules_and_categories(client: TestClient, settings: dict[str, str], is_found: bool):
    answer = client.post("/v2/check", data={"text": WRONG, **settings}).json()
    assert [match["rule"]["id"] for match in answer["matches"]] == [RULE] * is_found


def test_unsupported_parameters_are_named(client: TestClient):
    data = {"text": WRONG, "level": "picky", "motherTongue": "de-DE"}
    warnings = client.post("/v2/check", data=data).json()["warnings"]
    assert warnings == {"incompleteResults": False, "unsupported": ["level", "motherTongue"]}
    warnings = client.post("/v2/check", data={"text": WRONG, "level": "default"}).json()["warnings"]
    assert warnings["unsupported"] == []


@pytest.mark.parametrize(
    "settings, code, name",
    [
        ({"language": "EN_us"}, "en-US", "English (US)"),
        ({"language": "en-latn-gb"}, "en-Latn-GB", "English"),
        ({"language": "auto", "preferredVariants": "de-AT,en-gb"}, "en-GB", "English (GB)"),
        ({"preferredVariants": "de-AT"}, "en", "English"),
    ],
)
def test_languages_have_their_codes(
    client: TestClient, settings: dict[str, str], code: str, name: str
):
    language = client.post("/v2/check", data={"text": "", **settings}).json()["language"]
    detected = language.pop("detectedLanguage")
    assert language == {"name": name, "code": code}
    assert detected == language | {"confidence": 1.0}


def test_sentences_of_matches(client: TestClient):
    sentences = [
        "However Dr. J. Smith came.",
        "However I think “Go!” is fine.",
        "However I think so",
    ]
    text = "So it was. {} {} We went?\n{}\nNow then.".format(*sentences)
    matches = client.post("/v2/check", data={"text": text}).json()["matches"]
    found = {match["offset"]: match["sentence"] for match in matches}
    for sentence in sentences:
        assert found[text.index(sentence)] == sentence


def test_installed_languages(english: Any, text_model: Path, monkeypatch: pytest.MonkeyPatch):
    """The model of the other language is the planted one, which writes a comma before "but"."""
    folders = {"en/text": english.path, "es/parser": text_model, "es/text": text_model}
    models = [InstalledModel(name, folder, "", "") for name, folder in folders.items()]
    monkeypatch.setattr("semipunct.pipelines.pipeline.installed_models", lambda: models)
    with TestClient(application(english)) as client:
        rows = client.get("/v2/languages").json()
        assert [row["code"] for row in rows if row["code"] != "en"] == ["es"]
        text = "so ba ke but do"
        answers = [
            client.post("/v1/restore", json={"text": text, "language": code}).json()["text"]
            for code in ("es", "en")
        ]
        planted = semipunct.load(text_model).restore(text)
        assert answers == [planted, english.restore(text)]
        assert planted != english.restore(text)
        checked = client.post("/v2/check", data={"text": text, "language": "ES"}).json()
        assert checked["language"]["code"] == "es"
        refused = client.post("/v1/restore", json={"text": text, "language": "de"})
        assert "it checks English, Spanish" in refused.text


def test_a_client(port: int, english: Any):
    client = pytest.importorskip("language_tool_python", reason="it is not installed")
    tool = client.LanguageTool("en-US", remote_server=f"http://127.0.0.1:{port}")
    assert tool.correct(WRONG) == english.correct(WRONG)
    tool.disabled_rules = {RULE}
    assert tool.check(WRONG) == []


@pytest.mark.parametrize("origin, is_allowed", [("https://a.org", True), ("https://b.org", False)])
def test_private_networks(english: Any, origin: str, is_allowed: bool):
    asked = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Private-Network": "true",
    }
    allows = "access-control-allow-private-network"
    with TestClient(application(english, allow_origins=["https://a.org"])) as client:
        answer = client.options("/v2/check", headers=asked)
        assert (answer.status_code == 200) == is_allowed
        assert (answer.headers.get(allows) == "true") == is_allowed
        asking = client.post("/v2/check", data={"text": ""}, headers={"Origin": origin})
        assert (asking.headers.get("access-control-allow-origin") == origin) == is_allowed
    with TestClient(application(english)) as client:
        assert allows not in client.options("/v2/check", headers=asked).headers
        asking = client.post("/v2/check", data={"text": ""}, headers={"Origin": origin})
        assert asking.headers["access-control-allow-origin"] == "*"


def test_origins_of_the_command(english: Any, monkeypatch: pytest.MonkeyPatch):
    given: dict[str, Any] = {}

    def application(*_: Any, **options: Any) -> None:
        given.update(options)

    monkeypatch.setattr("semipunct.web.app.application", application)
    monkeypatch.setattr("uvicorn.run", lambda *_, **__: None)
    origins = ["https://a.org", "https://b.org"]
    allowed = [word for origin in origins for word in ("--allow-origin", origin)]
    assert run("serve", "en", "--port", free_port(), *allowed).status == 0
    assert given["allow_origins"] == origins


def test_parsed_text(english: Any, parser: Path):
    trees = semipunct.load(parser, text_model="en")
    text = "“where are you?” she said, and\n\nleft"
    with TestClient(application(english, trees)) as client:
        answer = client.post("/v1/parse", json={"text": text}).json()
        assert client.post("/v1/parse", json={"text": ""}).json()["sentences"] == []
    expected = [p for p in trees.parse(text) if isinstance(p, Parse)]
    assert len(answer["sentences"]) == len(expected) >= 2
    for row, parse in zip(answer["sentences"], expected, strict=True):
        sentence, words = parse.sentence, row["words"]
        assert [word["id"] for word in words] == [*range(1, len(sentence.forms) + 1)]
        columns = [[w[key] for w in words] for key in ("form", "upos", "head", "deprel")]
        tree = sentence.tree
        assert columns == [*map(list, (sentence.forms, sentence.upos, tree.heads, tree.relations))]
        marks = [row["marks_before"], *(word["marks_after"] for word in words)]
        assert marks == [list(slot) for slot in sentence.slots]


def test_a_stopped_server_says_nothing(monkeypatch: pytest.MonkeyPatch):
    """uvicorn sends a signal again when it has stopped, to the handlers from before."""
    handlers: list[Any] = []
    monkeypatch.setattr(
        "uvicorn.run", lambda *_, **__: handlers.extend(map(signal.getsignal, STOPPING))
    )
    before = [signal.getsignal(number) for number in STOPPING]
    try:
        end_at_signals()
        ends = [signal.getsignal(number) for number in STOPPING]
        assert run("serve", "en", "--port", free_port()).status == 0
    finally:
        for number, handler in zip(STOPPING, before, strict=True):
            signal.signal(number, handler)
    assert not {*handlers} & {*ends}
    assert [handler(number, None) for handler, number in zip(handlers, STOPPING, strict=True)] == [
        None, None,
    ]  # fmt: skip


def test_the_page_is_strict(client: TestClient):
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert '<script src="page.js"' in page.text
    assert "style=" not in page.text
    script = client.get("/page.js").text
    assert "innerHTML" not in script
    assert "http" not in script
    assert client.get("/page.css").headers["content-type"].startswith("text/css")


@pytest.mark.parametrize(
    "content, status, message",
    [
        (b"text=" + b"a" * (LIMIT + 1), 413, "at most 2,000"),
        (b"text=" + b"a" * 200_000, 413, "larger than"),
        (b"text=\xff\xfe", 400, "not UTF-8"),
        (b"text=%ff", 400, "malformed"),
        (b"", 400, "no text"),
        (b"[1]", 400, "no object"),
        (b"{", 400, "no valid JSON"),
        (b'{"text": 3}', 400, "no text"),
        (b'{"text": "\\ud800"}', 400, "half of a character"),
        (b'{"text": "a", "language": "de-DE"}', 400, "not a language code"),
        (b'{"text": "a", "language": "en-\\ud800"}', 400, "not a language code"),
        (b"text=a&language=en&preferredVariants=en-GB", 400, "language=auto"),
        (b"text=a&preferredVariants=en", 400, "no variant"),
        (b"text=a&level=nice", 400, "no level"),
        (b"text=a&enabledOnly=true", 400, "needs enabledRules"),
        (b"text=a&enabledOnly=true&enabledRules=A&disabledRules=B", 400, "disables all other"),
        (b'{"data": {"annotation": 3}}', 400, "annotation"),
        (b'{"data": {"annotation": [{"x": 1}]}}', 400, "neither text nor markup"),
        (b"data=x", 400, "data is no valid JSON"),
        (b"[" * 100_000, 413, "larger than"),
        (b"[" * 50_000, 400, "JSON"),
    ],
)
def test_malformed_requests_have_clear_answers(
    client: TestClient, content: bytes, status: int, message: str
):
    answer = client.post("/v2/check", content=content)
    assert answer.status_code == status
    assert message in answer.text


def test_no_malformed_request_fails(client: TestClient):
    generator = random.Random(3)
    alphabet = [b"text", b"=", b"data", b"{", b"}", b'"', b":", b"[", b"]", b"&", b"%", b"\xff",
                b"annotation", b"markup", b"\\ud83d", b"a, b", b"\x00", b"language",
                b"en"]  # fmt: skip
    paths = ["/v2/check", "/v1/restore", "/v1/correct", "/v2//check", "/%00check"]
    for _ in range(400):
        content = b"".join(generator.choices(alphabet, k=generator.randrange(9)))
        answer = client.post(generator.choice(paths), content=content)
        assert answer.status_code in (200, 400, 404, 413), content


def test_requests_are_answered_together():
    asked: list[Work] = []

    def answer(work: Work, texts: Sequence[str]) -> Any:
        time.sleep(0.05)
        asked.append(work)
        return [text.upper() for text in texts]

    async def ask() -> list[Any]:
        batches = Batches(answer, 50, 10)
        return await asyncio.gather(*(batches.ask(WORK, f"a{i}\nb") for i in range(20)))

    assert run_apart(ask()) == [f"A{i}\nB" for i in range(20)]
    assert len(asked) <= 2


def test_too_many_requests_and_slow_ones():
    def answer(work: Work, texts: Sequence[str]) -> Any:
        time.sleep(0.3)
        return texts

    async def ask(waiting: int, seconds: float) -> list[Any]:
        batches = Batches(answer, waiting, seconds)
        asked = (batches.ask(WORK, "a") for _ in range(5))
        return await asyncio.gather(*asked, return_exceptions=True)

    refused = [e for e in run_apart(ask(2, 10)) if isinstance(e, BadRequest)]
    assert [e.status for e in refused] == [503] * 3
    assert all(isinstance(e, BadRequest) for e in run_apart(ask(9, 0.05)))


LETTERS = st.text("ab ,.\n😀é", max_size=20)


def test_changes_rebuild_the_source(english: Any):
    for text in (WRONG, WRONG.lower(), "a  b,, c . d", "«x» , y"):
        new = english.correct(text)
        source, place = str(new), 0
        pieces: list[str] = []
        for change in changes(text, new):
            pieces += (source[place : change.place], text[change.start : change.end])
            place = change.place + len(change.replacement)
        assert "".join((*pieces, source[place:])) == text


def test_a_port_in_use(port: int):
    result = run("serve", "en", "--port", port)
    assert result.status == 2
    assert "cannot be listened at" in result.err


def test_clients_that_have_gone_are_not_answered(port: int, monkeypatch: pytest.MonkeyPatch):
    """The model is asked about the first text while the second client leaves."""
    answered: list[str] = []
    is_asked, is_free = threading.Event(), threading.Event()

    def restore(task: Any, texts: list[str]) -> list[PunctuatedText]:
        answered.extend(texts)
        is_asked.set()
        is_free.wait(10)
        return [PunctuatedText(text) for text in texts]

    monkeypatch.setattr("semipunct.pipelines.running_text.RestoreText.texts", restore)

    def send(text: str) -> socket.socket:
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(
            b"POST /v1/restore HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            b"Content-Length: %d\r\n\r\ntext=%s" % (len(text) + 5, text.encode())
        )
        return client

    with send("first") as first:
        assert is_asked.wait(10)
        send("second").close()
        with send("third") as third:
            time.sleep(0.3)
            is_free.set()
            assert all(b"200 OK" in client.recv(1000) for client in (first, third))
    assert answered == ["first", "third"]


def test_a_model_that_is_no_text_model(parser: Path):
    result = run("serve", parser, "--port", free_port())
    assert result.status == 1
    assert "kind parser" in result.err

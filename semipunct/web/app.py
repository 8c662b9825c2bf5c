"""The ASGI application: routes, limits, headers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import cache, partial
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from semipunct.pipelines.explanations import mark_as_dict
from semipunct.pipelines.limits import SERVED
from semipunct.pipelines.marked_text import PunctuatedText, changes
from semipunct.pipelines.pipeline import Pipeline, load, text_models
from semipunct.pipelines.trained import Trained
from semipunct.pipelines.tree_writing import parses_as_dict
from semipunct.version import __version__
from semipunct.web import languagetool
from semipunct.web.batches import Batches, Task, Work
from semipunct.web.requests import BadRequest, read_fields, text_field

# Limits: queued requests, and their longest wait in seconds.
WAITING, SECONDS = 128, 60.0

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_PAGE = {"page.html": "text/html", "page.js": "text/javascript", "page.css": "text/css"}

Endpoint = Callable[[Request], Awaitable[Response]]


def application(
    model: Trained[Any],
    parser: Trained[Any] | None = None,
    *,
    limit: int = SERVED,
    allow_origins: Sequence[str] = (),
) -> Starlette:
    """Return an ASGI application that restores, corrects and parses text.

    Texts in another language than the model's are answered by the installed model of that language,
    which is loaded at the first of them. Requests are neither stored nor logged.

    Args:
        allow_origins: the origins whose pages may ask, also from a public network; if empty, all
            pages that the browser lets ask.
    """
    nlp = Pipeline(model)
    trees = Pipeline(model if parser is None else parser, text_model=model)
    folders = text_models()
    # A model without a name is taken for English.
    own = next((name for name, folder in folders.items() if folder == nlp.path), "en")
    codes = list(dict.fromkeys([own, *folders]))

    @cache
    def pipeline(language: str) -> Pipeline:
        return nlp if language == own else load(folders[language])

    @cache
    def task_of(work: Work) -> Any:
        return pipeline(work.language).task(work.task)

    def answer(work: Work, texts: Sequence[str]) -> Sequence[Any]:
        if work.task == "parse":
            return [trees.parse(text) for text in texts]
        return task_of(work).texts(texts)

    batches = Batches(answer, WAITING, SECONDS)

    async def check(request: Request) -> Response:
        fields = await read_fields(request, limit)
        settings = languagetool.read_settings(fields, codes)
        document = languagetool.read_document(fields, limit)
        work = Work("correct", settings.base)
        corrected = await batches.ask(work, document.text, partial(_leave, request))
        return JSONResponse(languagetool.response(document, corrected, settings))

    def asking(task: Task) -> Endpoint:
        async def ask(request: Request) -> Response:
            fields = await read_fields(request, limit)
            text = text_field(fields, "text", limit)
            work = Work(task, languagetool.check_language(fields, codes).partition("-")[0])
            if task == "parse" and (parser is None or work.language != own):
                raise BadRequest(
                    501, "this server has no parser; start it with --parser, or install one"
                )
            answer = await batches.ask(work, text, partial(_leave, request))
            return JSONResponse(
                parses_as_dict(answer) if task == "parse" else _as_dict(text, answer)
            )

        return ask

    health = {"status": "ok", "version": __version__, "model": model.model.kind}
    no_words = "Error: words belong to a user, and this server has neither users nor words"
    folder = files("semipunct.web")
    page = {
        name: Response(folder.joinpath(name).read_bytes(), media_type=kind)
        for name, kind in _PAGE.items()
    }
    both = ["GET", "POST"]
    return Starlette(
        routes=[
            Route("/", page["page.html"]),
            *(Route(f"/{name}", content) for name, content in page.items()),
            Route("/health", JSONResponse(health)),
            Route("/v1/restore", asking("restore"), methods=["POST"]),
            Route("/v1/correct", asking("correct"), methods=["POST"]),
            Route("/v1/parse", asking("parse"), methods=["POST"]),
            # Clients append the path to a base URL that may include it.
            Route("/{base:path}healthcheck", PlainTextResponse("OK")),
            Route("/{base:path}check", check, methods=both),
            Route("/{base:path}languages", JSONResponse(languagetool.languages(codes))),
            Route("/{base:path}info", JSONResponse({"software": languagetool.SOFTWARE})),
            Route("/{base:path}words{rest:path}", PlainTextResponse(no_words, 400)),
            Route("/{base:path}maxtextlength", PlainTextResponse(str(limit))),
        ],
        middleware=[
            Middleware(
                _Origins, allow_origins=allow_origins or ["*"], allow_methods=both,
                allow_headers=["*"], allow_private_network=bool(allow_origins),
            ),
            Middleware(_Headers),
        ],
        exception_handlers={BadRequest: _refused, ClientDisconnect: _gone, 500: _failed},
    )  # fmt: skip


def _as_dict(source: str, text: PunctuatedText) -> dict[str, Any]:
    """Return a text as pieces; changed pieces have the original text and their marks."""
    pieces: list[dict[str, Any]] = []
    place = 0
    for change in changes(source, text):
        pieces.append({"text": str(text)[place : change.place]})
        place = change.place + len(change.replacement)
        before = source[change.start : change.end]
        marks = [mark_as_dict(mark) for mark in change.marks]
        pieces.append({"text": change.replacement, "before": before, "marks": marks})
    pieces.append({"text": str(text)[place:]})
    return {
        "schema": "semipunct.text/1",
        "text": str(text),
        "marks": [mark_as_dict(mark) for mark in text.marks],
        "pieces": pieces,
    }


async def _leave(request: Request) -> None:
    """Return when the client disconnects, after its body has been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _refused(request: Request, error: Exception) -> Response:
    status = error.status if isinstance(error, BadRequest) else 400
    headers = {"Retry-After": "5"} if status == 503 else None
    # Messages quote the request, which may have halves of characters.
    return PlainTextResponse(f"Error: {error}".encode(errors="replace"), status, headers)


async def _gone(request: Request, error: Exception) -> Response:
    return PlainTextResponse("", 400)


async def _failed(request: Request, error: Exception) -> Response:
    return PlainTextResponse("Error: the server failed; its log has the cause", 500)


class _Origins(CORSMiddleware):
    """Allows requests from other origins; a refusal does not allow private networks."""

    def preflight_response(self, request_headers: Headers) -> Response:
        response = super().preflight_response(request_headers)
        if response.status_code != 200:
            del response.headers["Access-Control-Allow-Private-Network"]
        return response


class _Headers:
    """Adds security headers to every response."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                pairs = [(k.lower().encode(), v.encode()) for k, v in _HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", ()), *pairs]}
            await send(message)

        await self._app(scope, receive, send_with_headers)

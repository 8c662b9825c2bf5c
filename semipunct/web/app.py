"""The ASGI application: routes, limits, headers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from semipunct.pipelines.explanations import mark_as_dict
from semipunct.pipelines.limits import SERVED
from semipunct.pipelines.marked_text import PunctuatedText, changes
from semipunct.pipelines.pipeline import Pipeline
from semipunct.pipelines.trained import Trained
from semipunct.pipelines.tree_writing import parses_as_dict
from semipunct.version import __version__
from semipunct.web import languagetool
from semipunct.web.batches import Batches, Task
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
_PAGE = {"": "text/html", "page.js": "text/javascript", "page.css": "text/css"}

Endpoint = Callable[[Request], Awaitable[Response]]


def application(
    model: Trained[Any],
    parser: Trained[Any] | None = None,
    *,
    limit: int = SERVED,
) -> Starlette:
    """Return an ASGI application that restores, corrects and parses text.

    Requests are neither stored nor logged.
    """

    def answer(task: Task, texts: Sequence[str]) -> Sequence[Any]:
        if task == "parse":
            return [parse(text) for text in texts]
        return tasks[task].texts(texts)

    nlp = Pipeline(model)
    tasks = {"restore": nlp.task("restore"), "correct": nlp.task("correct")}
    parse = nlp.parse if parser is None else Pipeline(parser, text_model=model).parse
    batches = Batches(answer, WAITING, SECONDS)

    async def check(request: Request) -> Response:
        fields = await read_fields(request, limit)
        language = languagetool.check_language(fields)
        document = languagetool.read_document(fields, limit)
        corrected = await batches.ask("correct", document.text, partial(_leave, request))
        return JSONResponse(languagetool.response(document, corrected, language))

    async def languages(request: Request) -> Response:
        return JSONResponse(
            [
                {"name": name, "code": "en", "longCode": code}
                for name, code in languagetool.LANGUAGES
            ]
        )

    def asking(task: Task) -> Endpoint:
        async def ask(request: Request) -> Response:
            text = text_field(await read_fields(request, limit), "text", limit)
            if task == "parse" and parser is None:
                raise BadRequest(
                    501, "this server has no parser; start it with --parser, or install one"
                )
            answer = await batches.ask(task, text, partial(_leave, request))
            return JSONResponse(
                parses_as_dict(answer) if task == "parse" else _as_dict(text, answer)
            )

        return ask

    async def health(request: Request) -> Response:
        return JSONResponse({"status": "ok", "version": __version__, "model": model.model.kind})

    async def healthcheck(request: Request) -> Response:
        return PlainTextResponse("OK")

    async def length(request: Request) -> Response:
        return PlainTextResponse(str(limit))

    async def page(request: Request) -> Response:
        name = request.url.path.lstrip("/")
        content = files("semipunct.web").joinpath(name or "page.html").read_text("utf-8")
        return Response(content, media_type=_PAGE[name])

    both = ["GET", "POST"]
    return Starlette(
        routes=[
            *(Route(f"/{name}", page) for name in _PAGE),
            Route("/health", health),
            Route("/v1/restore", asking("restore"), methods=["POST"]),
            Route("/v1/correct", asking("correct"), methods=["POST"]),
            Route("/v1/parse", asking("parse"), methods=["POST"]),
            # Clients append the path to a base URL that may include it.
            Route("/{base:path}check", check, methods=both),
            Route("/{base:path}languages", languages),
            Route("/{base:path}healthcheck", healthcheck),
            Route("/{base:path}maxtextlength", length),
        ],
        middleware=[
            Middleware(
                CORSMiddleware, allow_origins=["*"], allow_methods=both, allow_headers=["*"],
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
    return PlainTextResponse(f"Error: {error}", status, headers)


async def _gone(request: Request, error: Exception) -> Response:
    return PlainTextResponse("", 400)


async def _failed(request: Request, error: Exception) -> Response:
    return PlainTextResponse("Error: the server failed; its log has the cause", 500)


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

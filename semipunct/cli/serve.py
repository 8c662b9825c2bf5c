"""The command ``semipunct serve``."""

from typing import Annotated

import typer

from semipunct.cli import arguments
from semipunct.cli.phases import phase
from semipunct.errors import UsageError
from semipunct.pipelines import limits


def serve(
    model: Annotated[str, arguments.model_argument("A text model: its folder or its name.")] = "en",
    host: Annotated[str, typer.Option(metavar="HOST", help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen at.")] = 8081,
    limit: Annotated[
        int, typer.Option(metavar="N", min=1, max=1_000_000, help="Characters of a text at most.")
    ] = limits.SERVED,
    parser: Annotated[
        str | None,
        arguments.model_option(
            "A parser, for /v1/parse: its folder or its name [that of the same name as MODEL, if "
            "it is installed].",
            "PARSER",
        ),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            help="An origin, such as https://example.org, whose pages may ask, also if they come "
            "from a public network; repeatable, and no other pages may then ask.",
        ),
    ] = None,
) -> None:
    """Serve LanguageTool's interface for editors, JSON for programs, and a page for browsers.

    An editor that can use a LanguageTool server of its own is told http://127.0.0.1:8081. Nothing
    of what is sent is stored or logged.
    """
    with phase("importing"):
        try:
            import uvicorn

            from semipunct.web.app import application
        except ModuleNotFoundError as error:
            raise UsageError(
                f'the server needs {error.name}; install it: pip install "semipunct[web]"'
            ) from error
        from semipunct.cli.phases import keep_programs
        from semipunct.cli.signals import leave_to_server
        from semipunct.models.parsing.parser import Parser
        from semipunct.models.running_text.model import TextModel
        from semipunct.pipelines.pipeline import PARSER, Pipeline
        from semipunct.store.checkpoint import load
    _check_port(host, port)
    keep_programs()
    with phase("loading the model"):
        text_model = load(model, TextModel)
        folder = Pipeline(text_model).parts.get(PARSER) if parser is None else parser
        trees = None if folder is None else load(folder, Parser)
        app = application(text_model, trees, limit=limit, allow_origins=allow_origin or ())
    leave_to_server()
    uvicorn.run(
        app, host=host, port=port, log_level="info", access_log=False, timeout_graceful_shutdown=10
    )


def _check_port(host: str, port: int) -> None:
    import socket

    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
    except (OSError, UnicodeError) as error:
        shown = host if host.strip() and host.isprintable() else repr(host)
        reason = getattr(error, "strerror", None) or "that is no name of a machine"
        raise UsageError(
            f"{shown}:{port} cannot be listened at: {reason}; give another --port or --host"
        ) from error

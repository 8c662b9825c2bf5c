"""Telling people how work goes: on a terminal by a bar or a count, training also by lines."""

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from semipunct.cli import console
from semipunct.wording import counted

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from semipunct.training.report import Progress

Report = Callable[["Progress"], None]
T = TypeVar("T")


@contextmanager
def training_progress(title: str = "", *, lines: bool = True) -> Generator[Report, None, None]:
    """Give a function that ``semipunct.training.loop.train`` can report to.

    On a terminal a bar shows visits, objective and time left. Everything goes to standard error.

    Args:
        title: stands before the bar.
        lines: tell each evaluation on the development sentences in a line as well, on a terminal
            or not.
    """
    bar = _bar(title)
    task = bar.add_task("preparing", total=None, objective="")
    evaluated = False

    def report(now: "Progress") -> None:
        nonlocal evaluated
        if now.objective is not None:
            bar.update(task, objective=f"objective {now.objective:.3f}")
        # Nothing but compiling happens between the first two reports.
        phase = "compiling" if now.phase == "preparing" else now.phase
        bar.update(task, description=phase, total=now.total, completed=now.visits)
        if lines and evaluated and now.phase == "saving":
            bar.console.print(evaluation_line(now), markup=False, highlight=False, soft_wrap=True)
        evaluated = now.phase == "evaluating"

    with bar:
        yield report


@contextmanager
def sentence_progress(
    title: str, output: str | None = None, *, quiet: bool = False
) -> Generator[Callable[[Iterable[T]], Iterator[T]], None, None]:
    """Give a function that counts sentences as they pass, for people at a terminal to see.

    Nothing is shown where the sentences themselves appear on the terminal.

    Args:
        title: the work that is done.
        output: the place of what is written, if anything is.
        quiet: show nothing.
    """
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    screen = console.people()
    seen = output == console.STANDARD and sys.stdout.isatty()
    # Data on standard output must not be taken for words to put above the count.
    bar = Progress(
        SpinnerColumn(),
        TextColumn(title),
        TextColumn("sentences: {task.completed:,}"),
        TimeElapsedColumn(),
        console=screen,
        transient=True,
        disable=quiet or seen or not screen.is_terminal,
        redirect_stdout=False,
    )
    task = bar.add_task(title, total=None)

    def advancing(items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            yield item
            bar.advance(task)

    with bar:
        yield advancing


def evaluation_line(now: "Progress") -> str:
    """Say in one line what the last evaluation found."""
    figure = "none" if now.figure is None else f"{now.figure:.4f}"
    best = " (best so far)" if now.figure == now.best else ""
    zero = f", {counted(now.unscorable, 'sentence')} unscorable" if now.unscorable else ""
    return (
        f"{now.visits:>9,} of {counted(now.total, 'visit')}, {duration(now.seconds):>7}: "
        f"dev {now.measure} {figure}{best}{zero}"
    )


def duration(seconds: float) -> str:
    """Write a time for people: ``8 s``, ``3:05``, ``1:02:03``."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _bar(title: str) -> "Bar":
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    screen = console.people()
    return Progress(
        *([TextColumn(title)] if title else []),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[objective]}"),
        Remaining(),
        console=screen,
        transient=True,
        disable=not screen.is_terminal,
    )

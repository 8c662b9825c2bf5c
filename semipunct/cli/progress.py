"""Progress on a terminal, and lines of figures during training."""

import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from semipunct.cli import console
from semipunct.wording import quantity

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from semipunct.training.report import Progress

Report = Callable[["Progress"], None]
T = TypeVar("T")


@contextmanager
def training_progress(title: str = "", *, lines: bool = True) -> Generator[Report, None, None]:
    """Yield a function for the reports of training; a terminal shows a bar."""
    bar = _bar(title)
    task = bar.add_task("preparing", total=None, loss="")
    evaluated = False

    def report(progress: "Progress") -> None:
        nonlocal evaluated
        if progress.objective is not None:
            bar.update(task, loss=f"objective {progress.objective:.3f}{speed(progress)}")
        # Only compilation happens between the first two reports.
        phase = "compiling" if progress.phase == "preparing" else progress.phase
        bar.update(task, description=phase, total=progress.total, completed=progress.visits)
        if lines and evaluated and progress.phase == "saving":
            bar.console.print(
                evaluation_line(progress), markup=False, highlight=False, soft_wrap=True
            )
        evaluated = progress.phase == "evaluating"

    with bar:
        yield report


@contextmanager
def sentence_progress(
    title: str,
    output: str | None = None,
    *,
    quiet: bool = False,
) -> Generator[Callable[[Iterable[T]], Iterator[T]], None, None]:
    """Yield a wrapper of iterators that counts sentences on a terminal, unless these go there."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    screen = console.people()
    seen = output == console.STANDARD and sys.stdout.isatty()
    # Data on standard output must not be redirected to lines above the count.
    bar = Progress(
        SpinnerColumn(),
        TextColumn(title),
        TextColumn("sentences: {task.completed:,}{task.fields[speed]}"),
        TimeElapsedColumn(),
        console=screen,
        transient=True,
        disable=quiet or seen or not screen.is_terminal,
        redirect_stdout=False,
    )
    task = bar.add_task(title, total=None, speed="")
    began = time.monotonic()

    def advancing(items: Iterable[Any]) -> Iterator[Any]:
        for completed, item in enumerate(items, 1):
            yield item
            seconds = time.monotonic() - began
            speed = f" ({completed / seconds:,.0f} a second)" if seconds > 1 else ""
            bar.update(task, completed=completed, speed=speed)

    with bar:
        yield advancing


@contextmanager
def counted_progress(noun: str) -> Generator[Callable[[int, int], None], None, None]:
    """Yield a function that shows a bar on a terminal, and a line for each tenth elsewhere."""
    bar = _bar("")
    task = bar.add_task(noun, total=None, loss="")
    tenths = 0

    def report(done: int, total: int) -> None:
        nonlocal tenths
        bar.update(task, completed=done, total=total)
        if bar.disable and 10 * done // total > tenths:
            tenths = 10 * done // total
            console.say(f"{done:,} of {total:,} {noun}")

    with bar:
        yield report


def evaluation_line(progress: "Progress") -> str:
    """Format the last evaluation as one line."""
    figure = "none" if progress.figure is None else f"{progress.figure:.4f}"
    best = " (best so far)" if progress.figure == progress.best else ""
    zero = (
        f", {quantity(progress.unscorable, 'sentence')} unscorable" if progress.unscorable else ""
    )
    return (
        f"{progress.visits:>9,} of {quantity(progress.total, 'visit')}, "
        f"{duration(progress.seconds):>7}: dev {progress.measure} {figure}{best}{zero}"
        f"{speed(progress)}"
    )


def speed(progress: "Progress") -> str:
    """Format words per second and remaining words, if words are counted."""
    if not (progress.counted and progress.seconds):
        return ""
    done, left = (n * progress.size for n in (progress.visits, progress.total - progress.visits))
    return f", {done / progress.seconds:,.0f} {progress.counted} a second, {left:,.0f} left"


def duration(seconds: float) -> str:
    """Format a time, such as ``8 s``, ``3:05`` or ``1:02:03``."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, remainder = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{remainder:02}" if hours else f"{minutes}:{remainder:02}"


def _bar(title: str) -> "Bar":
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    screen = console.people()
    return Progress(
        *([TextColumn(title)] if title else []),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[loss]}"),
        Remaining(),
        console=screen,
        transient=True,
        disable=not screen.is_terminal,
    )

"""The command ``semipunct train``."""

import shlex
import signal
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from semipunct.cli import arguments, console
from semipunct.cli.phases import phase
from semipunct.cli.signals import interruptible
from semipunct.errors import UsageError
from semipunct.models.registry import DEFAULT, find_kind, kind_names
from semipunct.wording import quantity

if TYPE_CHECKING:
    from semipunct.training.report import TrainingResult

# Interruption may take a while during compilation.
NOTICE = "\nstopping after this batch; send the signal again to stop at once\n"


def train(
    context: typer.Context,
    files: Annotated[
        list[str],
        typer.Argument(metavar="TRAIN...", help="Treebanks in CoNLL-U to train on."),
    ],
    dev: arguments.Dev,
    out: Annotated[
        str, typer.Option("-o", "--output", metavar="MODEL", help="The model folder to write.")
    ],
    corrected: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RIGHT",
            help="The corrected version of TRAIN, which is then the original text: for models of "
            "--kind correction, and slot-taggers that correct; repeatable.",
        ),
    ] = None,
    dev_corrected: Annotated[
        list[str] | None,
        typer.Option(metavar="RIGHT", help="The corrected version of DEV; repeatable."),
    ] = None,
    align: Annotated[
        Literal["words", "trees"] | None,
        typer.Option(
            help="With --corrected: words: all words of the two versions must agree; trees: all "
            "heads must agree, and other sentences are left out [words]."
        ),
    ] = None,
    analysis: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="A punctuation model that finds underlying trees: with --corrected, those of the "
            "original text, for preset paper-correction; with --kind ordering, those of the "
            "training sentences.",
        ),
    ] = None,
    near: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="A punctuation model of correct text. The weights of the channel, which rewrites "
            "neighbouring marks between two words, are regularised towards those of this model "
            "(train.channel_l2).",
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="MODEL",
            help="A model of the same kind to train further, with its vocabulary and architecture.",
        ),
    ] = None,
    kind: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help=f"The kind of model: {', '.join(kind_names())}.",
        ),
    ] = DEFAULT,
    config: arguments.Settings = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="One setting, such as preset=paper or train.visits=12000 (one visit is one use of "
            "a training sentence); repeatable.",
        ),
    ] = None,
    channel: Annotated[
        Literal["none", "l2r", "r2l"] | None,
        typer.Option(
            help="Direction of the channel, which rewrites neighbouring marks between two words; "
            "none: no channel [r2l]."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Random seed of initial weights and sentence order [0]."),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(metavar="PLATFORM", help="Where to train: cpu, gpu or tpu [JAX's choice]."),
    ] = None,
    devices: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="How many devices share each batch; the result differs by rounding only.",
        ),
    ] = 1,
    processes: Annotated[
        Literal["auto"] | None,
        typer.Option(
            help="Train as one of several processes that a launcher starts, or that "
            "JAX_COORDINATOR_ADDRESS, JAX_NUM_PROCESSES and JAX_PROCESS_ID describe. --devices is "
            "then the number of each.",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the run that was saved in MODEL.")
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Replace the model in MODEL once the new one is complete."),
    ] = False,
) -> None:
    """Train a model, and keep the weights that are best on the development treebank.

    A run that is interrupted (Ctrl-C) leaves a usable model, and --resume continues the run with
    the same final result. A folder with a model is not changed without --resume or --force.
    """
    words = (word for word in context.meta["arguments"] if word not in ("--resume", "--force"))
    command = ["semipunct", *words]
    if processes and console.STANDARD in (*files, *dev, *(corrected or ()), *(dev_corrected or ())):
        raise UsageError("standard input is read by one process only; name a file")
    from semipunct.arrays.memory import hold_memory
    from semipunct.cli.progress import training_progress
    from semipunct.store.folder import claim_folder, unfinished_folder
    from semipunct.training.config import load_config
    from semipunct.training.devices import Devices, join

    if processes:
        join()
    options: dict[str, Any] = {"model.channel": channel, "train.seed": seed}
    if analysis is not None and kind in kind_names() and find_kind(kind).underlying:
        options["model.underlying"] = True
    further: Any = None
    if start is not None:
        from semipunct.store.checkpoint import load as load_model

        further = load_model(start)
    chosen = load_config(
        config, settings or [], options, kind, further.config.model if further else None
    )
    if further is not None:
        from semipunct.training.run import check_start

        check_start(further, chosen)
    from semipunct.pipelines.notices import omissions, read_usable_examples
    from semipunct.pipelines.versions import check_versions, read_versions, with_underlying_trees

    check_versions(chosen.kind, corrected, dev_corrected, align, analysis)
    # Checked before reading and compiling, which may take minutes.
    place = Devices.find(device, devices)
    if not processes:  # the first of several processes claims it
        with claim_folder(out, force=force, resume=resume):
            pass
    hold_memory()
    with phase("reading"):
        if corrected and dev_corrected:
            development, training = (
                read_versions(written, right, align or "words")
                for written, right in ((dev, dev_corrected), (files, corrected))
            )
        else:
            development, training = (
                read_usable_examples(chosen.examples, paths, chosen.kind.unit)
                for paths in (dev, files)
            )
    if place.is_writer:
        for name, read in (("training", training), ("development", development)):
            omitted = omissions(read)
            separator = "; " if omitted else ""
            console.say(f"{name}: {quantity(len(read), chosen.kind.unit)}{separator}{omitted}")

    with phase("importing"):
        from semipunct.cli.phases import keep_programs
        from semipunct.store.checkpoint import load
        from semipunct.training.train import train as fit

    keep_programs()
    # Loaded before analysing, which may take minutes: the folder may be wrong.
    beside = load(near) if near is not None else None
    if analysis is not None:
        with phase("analysing"):
            development, training = (
                with_underlying_trees(analysis, chosen.kind, part)
                for part in (development, training)
            )
    with interruptible(NOTICE if place.is_writer else "") as stop, training_progress() as report:
        trained = fit(
            training,
            development,
            out,
            config=chosen,
            resume=resume,
            force=force,
            report=report,
            stop=stop,
            command=shlex.join(command),
            near=beside,
            start=further,
            device=device,
            devices=devices,
            processes=processes,
        )
    if place.is_writer:
        console.say(summary(trained, out))
    if trained.interrupted:
        until = f"; until then {out} is unchanged" if unfinished_folder(out).exists() else ""
        how = "--resume in place of --force" if force else "--resume"
        if place.is_writer:
            console.say(f"interrupted; run the same command with {how} to continue{until}")
        raise typer.Exit(128 + (stop.signal or signal.SIGINT))


def summary(trained: "TrainingResult", out: str) -> str:
    """Summarise a run in one line."""
    from semipunct.cli.progress import duration

    value = trained.criterion.of(trained.best)
    unscorable = trained.best.get("dev_unscorable", 0)
    label = trained.criterion.label
    figure = "not evaluated yet" if value is None else f"dev {label} {value:.4f}"
    if unscorable:
        figure += f" without {quantity(unscorable, 'sentence')} of probability zero"
    left = ""
    if (pruned := trained.best.get("pruned_weights")) is not None:
        cost = trained.best.get("pruning_cost")
        costs = "" if cost is None else f" for {cost:+.4f}"
        left = f"; {pruned:,} of {pruned + trained.best['weights']:,} weights pruned{costs}"
    early = ", stopped early" if trained.stopped_early else ""
    shapes = quantity(trained.compiled_shapes, "shape")
    return (
        f"{out}: {figure} (best of {quantity(len(trained.metrics), 'evaluation')}), "
        f"{quantity(trained.visits, 'visit')}{early}, {duration(trained.seconds)}, of which "
        f"compiling {shapes} took {duration(trained.compile_seconds)}{left}"
    )

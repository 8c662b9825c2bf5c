"""The entry point of training: assemble settings, check examples, and claim the folder."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Literal

import jax

from semipunct.arrays.compilation import enable_compilation_cache
from semipunct.corpus.examples import Example
from semipunct.errors import TreebankError, UsageError
from semipunct.models.kind import Config
from semipunct.models.registry import DEFAULT
from semipunct.store.folder import claim_folder, put_in_place
from semipunct.training.config import load_config
from semipunct.training.devices import Devices, join
from semipunct.training.loop import Trainer
from semipunct.training.report import Progress, TrainingError, TrainingResult
from semipunct.training.run import Saved


def train(
    train: Sequence[Example],
    dev: Sequence[Example],
    output: str | Path,
    *,
    kind: str = DEFAULT,
    config: str | Path | Config | None = None,
    settings: Iterable[str] = (),
    channel: str | None = None,
    seed: int | None = None,
    resume: bool = False,
    force: bool = False,
    report: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] | None = None,
    near: Saved | None = None,
    start: Saved | None = None,
    device: str | None = None,
    devices: int = 1,
    processes: Literal["auto"] | None = None,
    command: str = "",
) -> TrainingResult:
    """Train a model; its folder keeps the weights that are best on the development sentences.

    Args:
        train: the training sentences, or other examples of the kind.
        dev: the development sentences, for selecting the best weights and early stopping.
        output: the model folder to write.
        kind: a key of ``semipunct.models.registry.KINDS``.
        config: a TOML file; or all settings, from ``load_config``, in place of ``kind``,
            ``settings``, ``channel`` and ``seed``.
        settings: single settings, such as ``preset=paper`` or ``train.visits=12000``, which
            override the file.
        channel: the direction of the channel: ``none``, ``l2r`` or ``r2l``.
        resume: continue the run saved in ``output``; if it is finished, return its result.
        force: replace the model in ``output``, once this one is complete.
        report: a function called at each step and phase.
        stop: a function called after each batch; if it returns true, the model is saved and the run
            ends.
        near: for a correction model, a punctuation model towards whose weights the channel is
            regularised.
        start: a model to train further; it determines kind, vocabulary and the settings of
            ``[model]``.
        device: ``cpu``, ``gpu`` or ``tpu``; None for JAX's choice.
        devices: the number of devices (per process) that share each batch.
        processes: ``auto`` if several processes, each of which calls this function, train the model
            together. They find each other by their launcher, or by ``JAX_COORDINATOR_ADDRESS``,
            ``JAX_NUM_PROCESSES`` and ``JAX_PROCESS_ID``.
        command: the command that trains the model, for the model card.

    Raises:
        ConfigError: for an invalid setting.
        TreebankError: if there are no examples.
        UsageError: if arguments contradict each other, there are too few devices, or processes do
            not find each other or have different inputs.
        ModelError: if ``output`` cannot be written or resumed, or ``near`` or ``start`` does not
            fit.
        TrainingError: if the loss or a gradient is no longer finite, or a process has ended.
    """
    if not isinstance(config, Config):
        options = {"model.channel": channel, "train.seed": seed}
        architecture = start.config.model if start else None
        config = load_config(config, settings, options, kind, architecture)
    elif kind not in (DEFAULT, config.kind.name) or (channel, seed, *settings) != (None, None):
        raise UsageError(
            "config holds all settings; leave out kind, settings, channel and seed, or give them "
            "to load_config"
        )
    for use, examples in (("training", train), ("development", dev)):
        if not examples:
            raise TreebankError(
                f"there is no {use} {config.kind.unit}: the files hold none that can be used; "
                "give others (semipunct stats FILE tells why sentences are left out)"
            )
    if processes is not None:
        join()
    chosen = Devices.find(device, devices)
    enable_compilation_cache()
    with (
        _losses_told(chosen),
        _claimed(output, chosen, force=force, resume=resume) as place,
        # JAX's own choice is not named: stored programs are keyed by the setting.
        jax.default_device(chosen.first) if device else nullcontext(),
    ):
        # Only the first process reports.
        heard = report if chosen.is_writer else None
        trainer = Trainer(config, place, command, heard, stop, near, start, chosen)
        result = trainer.run(train, dev, resume)
        if not result.interrupted:
            chosen.ask_first(lambda: put_in_place(place, output))
        return result


@contextmanager
def _losses_told(devices: Devices) -> Generator[None, None, None]:
    """Raise ``TrainingError`` if communication fails, usually because a process has ended."""
    try:
        yield
    except jax.errors.JaxRuntimeError as error:
        if devices.processes == 1:
            raise
        reason = str(error).partition("\n")[0]
        raise TrainingError(
            f"another process of this run has ended or cannot be reached ({reason}); --resume "
            "continues from the last checkpoint"
        ) from error


@contextmanager
def _claimed(
    output: str | Path, devices: Devices, *, force: bool, resume: bool
) -> Generator[Path, None, None]:
    """Claim the folder in the first process; yield its path in all of them."""
    with ExitStack() as claim:

        def first_claims() -> str:
            return str(claim.enter_context(claim_folder(output, force=force, resume=resume)))

        yield Path(devices.ask_first(first_claims))

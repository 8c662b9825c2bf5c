"""``semipunct average``: several models as one."""

import shlex
from typing import Annotated

import typer

from semipunct.cli import console


def average(
    models: Annotated[
        list[str],
        typer.Argument(metavar="MODEL MODEL...", help="Model folders of the same training data."),
    ],
    out: Annotated[
        str, typer.Option("-o", "--output", metavar="FOLDER", help="Where the new model goes.")
    ],
) -> None:
    """Put models that differ in their seeds together: their scores are averaged.

    The result is a model like any other, usually better than each of them. Its networks stand
    side by side, so that it takes as long as all of them.
    """
    from semipunct.training.average import average as put_together
    from semipunct.training.card import averaged_card
    from semipunct.training.checkpoint import CARD, load, save
    from semipunct.training.folder import check_output

    check_output(out)
    loaded = [load(name) for name in models]
    model, parameters, config = put_together(loaded)
    command = shlex.join(["semipunct", "average", *models, "-o", out])
    figures = {key: sum(m.figures[key] for m in loaded) for key in ("visits", "seconds")}
    save(
        out,
        model,
        parameters,
        config,
        figures={**figures, "finished": True, "averaged": [m.digest for m in loaded]},
        card=averaged_card(
            {str(m.path): m.figures.get("dev_perplexity") for m in loaded},
            command,
            (loaded[0].path / CARD).read_text("utf-8"),
        ),
    )
    console.say(
        f"{out}: the average of {len(loaded)} models; semipunct evaluate tells how good it is"
    )

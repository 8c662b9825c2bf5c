"""Options of commands that follow from classes of options (``semipunct.pipelines.options``)."""

from collections.abc import Callable, Set
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_args

import typer

from semipunct.pipelines.options import descriptions


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Replace a parameter that is an instance of a class of options by one for each field.

    The command then has these options, and gets the instance. A set of strings is given as words
    between blanks. Why so: docs/decisions/architecture.md.

    Args:
        command: a function whose other parameters are declared as typer expects them.
    """
    parameters: list[Parameter] = []
    classes: dict[str, Any] = {}
    for parameter in signature(command, eval_str=True).parameters.values():
        options: Any = parameter.annotation
        if is_dataclass(options):
            classes[parameter.name] = options
            parameters += _parameters(options)
        else:
            parameters.append(parameter)

    @wraps(command)
    def call(**values: Any) -> None:
        for name, options in classes.items():
            of_fields = [values.pop(parameter.name) for parameter in _parameters(options)]
            hints = [hint for hint, _ in descriptions(options).values()]
            values[name] = options(*map(_field_value, hints, of_fields))
        command(**values)

    call.__dict__["__signature__"] = Signature(parameters)
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return call


def _parameters(options: Any) -> list[Parameter]:
    """Return the parameters that typer makes options of."""
    parameters: list[Parameter] = []
    for field in fields(options):
        hint, option = descriptions(options)[field.name]
        name = option.name or field.name
        # Otherwise a switch would have an opposite, --no-NAME.
        spelt = (f"--{name.replace('_', '-')}",) if hint is bool else ()
        declared = typer.Option(
            *spelt,
            help=option.help,
            metavar=option.metavar,
            min=option.minimum,
            max=option.maximum,
        )
        parameters.append(
            Parameter(
                name,
                Parameter.POSITIONAL_OR_KEYWORD,
                default=field.default,
                annotation=Annotated[str | None if _is_set(hint) else hint, declared],
            )
        )
    return parameters


def _is_set(hint: Any) -> bool:
    return Set[str] in get_args(hint)


def _field_value(hint: Any, value: Any) -> Any:
    return frozenset(value.split()) if _is_set(hint) and value is not None else value

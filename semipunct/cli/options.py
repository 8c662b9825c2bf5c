"""Command-line options from classes of options (``semipunct.pipelines.options``)."""

from collections.abc import Callable, Set
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_args

import typer

from semipunct.pipelines.options import checked, descriptions


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Expand parameters that are instances of classes of options to one option per field."""
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
            given = {
                field: values.pop(option.name or field)
                for field, (_, option) in descriptions(options).items()
            }
            values[name] = checked(options, command.__name__, given)
        command(**values)

    call.__dict__["__signature__"] = Signature(parameters)
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return call


def _parameters(options: Any) -> list[Parameter]:
    parameters: list[Parameter] = []
    defaults = {field.name: field.default for field in fields(options)}
    for field, (hint, option) in descriptions(options).items():
        name = option.name or field
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
                default=defaults[field],
                annotation=Annotated[str | None if Set[str] in get_args(hint) else hint, declared],
            )
        )
    return parameters

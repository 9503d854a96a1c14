"""The command `locomote`, called in this process."""

from typer.testing import CliRunner

from locomote.cli.main import app


def call(*words, code=0):
    """What a command prints and how it ends, which must be with this code."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, result.output
    return result

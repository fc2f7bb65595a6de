"""What factchain raises for a user's mistake or a broken input.

FactchainError                 anything the command line reports without a traceback
├── InputError                 a file or record that cannot be used: names place and remedy
├── ConfigError                a setting that does not exist or does not fit
├── OutputError                an output folder that cannot be written
├── StoreError                 a triple store that is missing, damaged or lacks what is asked
├── ModelError                 a language model that gives no reply: key, address, budget
├── WorkerError                a process or machine that died at work, or cannot be reached
└── MissingExtraError          an optional part of factchain that is not installed
"""

from __future__ import annotations


class FactchainError(Exception):
    """Base of all errors that are reported as one message, with exit status 1."""


class InputError(FactchainError):
    """An input file or record that cannot be used."""


class ConfigError(FactchainError):
    """A setting that does not exist, has the wrong type, or contradicts another."""


class OutputError(FactchainError):
    """A place that cannot be written, or holds something that is not ours."""


class StoreError(FactchainError):
    """A triple store that is missing, damaged, or lacks what a stage needs."""


class ModelError(FactchainError):
    """A language model that gives no reply: a wrong key or address, or a budget that is spent."""


class WorkerError(FactchainError):
    """A process or machine that died while it worked on a shard, or cannot be reached."""


class MissingExtraError(FactchainError):
    """A command needs an extra that is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(what, extra)  # as given, or a worker could not send the error home

    def __str__(self) -> str:
        what, extra = self.args
        return f"{what} needs an extra: pip install 'factchain[{extra}]'"

"""The one exception for mistakes in what the user gave: a scenario, a platform, a traffic file, an option."""


class BenchError(ValueError):
    """A value from outside that the bench cannot accept.

    The text names the file, the key, the value and what would have been right; the command line prints it and
    ends with status 2. Faults of the bench itself are other exceptions and keep their traceback.
    """

    @classmethod
    def of(cls, file: object, key: str, value: object, right: str) -> "BenchError":
        """The usual form of the text.

        Parameters: `file` where the value stands (path or name of the scenario), `key` dotted name, `value`
        as given, `right` what would have been accepted.
        """
        return cls(f"{file}: {key} = {value!r}: {right}")

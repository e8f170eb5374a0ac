"""The one error family that users see: what is wrong, where, and what mends it, on one line."""


class UserError(Exception):
    """Something the user can mend: bad input, a missing file, an index of another format.

    `str()` is one line: "where: what; remedy". A command prints it on stderr and exits 1.
    """

    def __init__(self, what: str, *, where: object = "", remedy: str = "") -> None:
        self.what, self.where, self.remedy = what, str(where), remedy
        parts = [f"{self.where}: {what}" if self.where else what]
        if remedy:
            parts.append(remedy)
        line = "; ".join(parts)
        super().__init__("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line))


def from_os_error(error: OSError, *, where: object, doing: str) -> UserError:
    """Put an operating-system error in one line with its remedy."""
    remedies = {
        2: "check the path",
        13: "check who may write there (ls -ld), or name another folder",
        28: "free some space, or name a folder on another disk",
        30: "the file system is read-only; name another folder",
    }
    reason = error.strerror or type(error).__name__
    return UserError(f"cannot {doing}: {reason}", where=where, remedy=remedies.get(error.errno or 0, ""))

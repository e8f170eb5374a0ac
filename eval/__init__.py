"""Question sets, metrics and runs. Import from its modules: a bare `import eval` would hide the builtin."""

__all__: list[str] = []

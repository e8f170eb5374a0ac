"""`python -m app`: open the chat page and print its address."""

import argparse
import logging
import socket
import sys
from pathlib import Path

from app.assistant import open_or_build
from app.settings import index_folder
from ingest.errors import UserError


def main(argv: list[str] | None = None) -> int:
    """Serve until interrupted: 0 ended by the user, 1 error, 2 wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m app", description="Open the chat page on this machine.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s, this machine only)")
    parser.add_argument("--port", type=int, default=7860, help="port to listen on; 0 takes a free one (default: %(default)s)")
    parser.add_argument("--index", type=Path, metavar="DIR", help="the index to use (default: var/index, built when it is not there)")
    args = parser.parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    try:
        port = _free_port(args.host, args.port)
        folder, is_default = index_folder(args.index)
        assistant = open_or_build(folder, is_default=is_default, tell=lambda line: print(line, file=sys.stderr, flush=True))
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    from app.page import CSS, I18N, THEME, build_page

    page = build_page(assistant)
    page.launch(
        server_name=args.host, server_port=port, share=False, quiet=True, show_error=False, prevent_thread_lock=True,
        footer_links=[], i18n=I18N, theme=THEME, css=CSS, ssr_mode=False,
    )  # fmt: skip
    shown = "127.0.0.1" if args.host == "0.0.0.0" else args.host  # noqa: S104
    print(f"release-qa is open at http://{shown}:{port}  (Ctrl-C ends it)", flush=True)
    try:
        page.block_thread()
    except KeyboardInterrupt:
        page.close(verbose=False)
    return 0


def _free_port(host: str, port: int) -> int:
    """Return `port`, or a free one for 0; UserError where it is taken, before anything heavy loads."""
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            taken: int = probe.getsockname()[1]
            return taken
    except (OSError, OverflowError) as error:
        raise UserError(
            f"cannot listen there: {error}", where=f"{host}:{port}", remedy="name another port: --port 0 takes a free one"
        ) from error

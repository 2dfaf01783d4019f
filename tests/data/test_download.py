"""Downloads against a server on this machine: whole files, or nothing at all."""

import hashlib
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphpool.data.download import fetch
from graphpool.errors import DataError, DownloadError

BODY = bytes(range(256)) * 1000
DIGEST = hashlib.sha256(BODY).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers by the path that is asked for."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        kind = self.path.strip("/").removesuffix(".zip")
        if kind == "missing":
            self.send_error(404)
            return
        if kind == "busy" and len(self.asked) == 1:
            self.send_error(503)
            return
        body = BODY[:-1] + b"x" if kind == "corrupt" else BODY
        self.send_response(200)
        if kind != "unsized":
            self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        cut = kind == "cut" or (kind == "flaky" and len(self.asked) < 3)
        self.wfile.write(body[: len(body) // 2] if cut else body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for variable in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    Handler.asked = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def assert_nothing_left(folder: Path) -> None:
    assert list(folder.iterdir()) == []


def test_a_good_answer_is_kept(server: str, tmp_path: Path) -> None:
    target = fetch(f"{server}/good.zip", tmp_path / "new" / "good.zip", sha256=DIGEST)
    assert target.read_bytes() == BODY
    assert [file.name for file in target.parent.iterdir()] == ["good.zip"]


def test_progress_ends_at_the_total(server: str, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    fetch(f"{server}/good.zip", tmp_path / "f", progress=lambda *step: seen.append(step))
    assert seen[-1] == (len(BODY), len(BODY))
    assert seen == sorted(seen)


def test_an_answer_of_unknown_length_is_taken(server: str, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    fetch(f"{server}/unsized.zip", tmp_path / "f", progress=lambda *step: seen.append(step))
    assert seen[-1] == (len(BODY), None)


def test_an_answer_cut_off_leaves_nothing(server: str, tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match=r"cut off after \d+ of 256000"):
        fetch(f"{server}/cut.zip", tmp_path / "cut.zip", pause=0.0)
    assert len(Handler.asked) == 3
    assert_nothing_left(tmp_path)


def test_a_later_attempt_may_succeed(server: str, tmp_path: Path) -> None:
    assert fetch(f"{server}/flaky.zip", tmp_path / "f", pause=0.0).read_bytes() == BODY
    assert len(Handler.asked) == 3


def test_a_busy_server_is_asked_again(server: str, tmp_path: Path) -> None:
    assert fetch(f"{server}/busy.zip", tmp_path / "f", pause=0.0).read_bytes() == BODY


def test_the_wait_doubles(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("graphpool.data.download.time.sleep", waits.append)
    with pytest.raises(DownloadError):
        fetch(f"{server}/cut.zip", tmp_path / "f", pause=0.5, attempts=4)
    assert waits == [0.5, 1.0, 2.0]


def test_a_wrong_checksum_leaves_nothing(server: str, tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match="SHA-256"):
        fetch(f"{server}/corrupt.zip", tmp_path / "c.zip", sha256=DIGEST, pause=0.0)
    assert_nothing_left(tmp_path)


def test_a_file_that_fails_its_check_leaves_nothing(server: str, tmp_path: Path) -> None:
    def check(path: Path) -> None:
        assert path.read_bytes() == BODY  # all bytes are there when it is asked
        raise DataError.at(path, "not a zip")

    with pytest.raises(DownloadError, match=r"damaged: good\.zip: not a zip"):
        fetch(f"{server}/good.zip", tmp_path / "good.zip", check=check, pause=0.0)
    assert_nothing_left(tmp_path)


def test_a_failed_download_keeps_the_old_file(server: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old")
    with pytest.raises(DownloadError):
        fetch(f"{server}/cut.zip", tmp_path / "f", pause=0.0)
    assert (tmp_path / "f").read_text() == "old"


def test_a_missing_page_is_not_asked_for_again(server: str, tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match="404"):
        fetch(f"{server}/missing.zip", tmp_path / "f", pause=0.0)
    assert len(Handler.asked) == 1
    assert_nothing_left(tmp_path)


def test_offline_it_says_what_to_fetch_and_where_to_put_it(tmp_path: Path) -> None:
    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as gone:
        url = f"http://127.0.0.1:{gone.server_port}/MUTAG.zip"
    with pytest.raises(DownloadError) as caught:
        fetch(url, tmp_path / "MUTAG.zip", pause=0.0)
    message = str(caught.value)
    assert "can't be reached" in message
    assert url in message
    assert "GRAPHPOOL_DATA" in message
    assert "\n" not in message
    assert_nothing_left(tmp_path)


def test_a_folder_that_is_a_file_is_a_download_error(server: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DownloadError, match="GRAPHPOOL_CACHE"):
        fetch(f"{server}/good.zip", tmp_path / "file" / "f", pause=0.0)


def test_other_kinds_of_address_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match="only http"):
        fetch("file:///etc/hostname", tmp_path / "f")

"""Workers that die, addresses that are wrong, and who can reach a cluster that is started here."""

import asyncio
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Thread
from urllib.error import HTTPError
from urllib.request import urlopen

import psutil
import pytest

from tests.cluster.conftest import CLASSES, predictions, units, write
from wager import _dask
from wager._dask import DaskEngine, dask_client, engine_of
from wager.cli import app
from wager.predictions import scan_predictions
from wager.report import score_file
from wager.rewards import get_utility

MAIN = "import sys; sys.argv[0] = 'wager'; from wager.cli import main; main()"
SECONDS = _dask._SECONDS  # as users have it


@dataclass(frozen=True)
class Deadly(DaskEngine):
    """An engine whose worker is killed once, in the middle of its work on one of the parts."""

    marker: Path

    def total(self, count, parts, progress=None):
        deadly = partial(_killed_once, count=count, part=len(parts) // 2, marker=self.marker)
        return super().total(deadly, list(enumerate(parts)), progress)


def _killed_once(numbered, count, part, marker):
    number, rows = numbered
    found = count(rows)
    if number == part and not marker.exists():
        marker.write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
    return found


@pytest.mark.long
def test_a_killed_worker_changes_nothing(client, tmp_path):
    rows = predictions("p") | units("weight", "cluster")
    path = write(tmp_path / "rows.parquet", rows, 60)
    marker = tmp_path / "killed"
    found = [
        score_file(scan_predictions(path, CLASSES), "f", [get_utility("u65")], engine=engine)
        for engine in (DaskEngine(client), Deadly(client, marker))
    ]
    assert not psutil.pid_exists(int(marker.read_text()))  # it was killed, and is replaced
    client.wait_for_workers(2, timeout=60)
    assert found[0].scores == found[1].scores
    bits = [[float(s.value).hex() for s in one.scores] for one in found]
    assert bits[0] == bits[1]


def _always_killed(part):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.long
def test_a_part_that_kills_every_worker_is_one_sentence(client, monkeypatch):
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 0)  # one loss will do
    with pytest.raises(ValueError) as error:
        DaskEngine(client).total(_always_killed, [0])
    assert str(error.value) == (
        "several Dask workers were lost while they counted the same part: give workers more "
        "memory, or look at their logs"
    )
    client.wait_for_workers(2, timeout=60)  # the lost one is replaced


def wager_command(*arguments):
    """The command line in a process, as a user calls it."""
    command = [sys.executable, "-c", MAIN, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


@pytest.fixture
def command_here(capfd):
    """The command line in this process, with all that it writes to the files of the process."""

    def call(*arguments):
        capfd.readouterr()
        with pytest.raises(SystemExit) as end:
            app([*map(str, arguments)], prog_name="wager")
        return subprocess.CompletedProcess(arguments, end.value.code, *capfd.readouterr())

    return call


@pytest.fixture
def in_a_hurry(monkeypatch):
    """For addresses where no scheduler ever answers."""
    monkeypatch.setattr(_dask, "_SECONDS", 0.4)


@pytest.mark.usefixtures("in_a_hurry")
@pytest.mark.parametrize(
    ("command", "in_a_new_process"),
    [
        pytest.param("score", True, marks=pytest.mark.long),
        ("score", False),
        ("compare", False),
        ("fit", False),
    ],
)
def test_a_wrong_address_is_one_sentence_without_noise(
    tmp_path, command, in_a_new_process, command_here
):
    path = write(tmp_path / "rows.parquet", predictions("label"))
    files = {
        "score": [path],
        "compare": [path, write(tmp_path / "other.parquet", predictions("label", 1))],
        "fit": ["naive-credal", path, path, "-o", tmp_path / "out.csv", "--target", "y_true"],
    }[command]
    call = wager_command if in_a_new_process else command_here
    done = call(command, *files, "--engine", "dask", "--dask-address", "tcp://127.0.0.1:1")
    assert (done.returncode, done.stdout) == (2, "")
    reason = " (nothing listens there)"  # not known if there was no time for a second attempt
    assert done.stderr.replace(reason, "") == (
        "wager: cannot reach a Dask scheduler at tcp://127.0.0.1:1: give the address that the "
        "scheduler shows, such as tcp://host:8786\n"
    )


def test_a_wrong_address_costs_less_than_five_seconds_of_waiting():
    assert SECONDS <= 2  # the rest is for the start of Python


@pytest.mark.usefixtures("in_a_hurry")
@pytest.mark.parametrize("address", ["", "nonsense", "http://127.0.0.1:1", "tcp://x.invalid:1"])
def test_addresses_of_other_kinds_are_one_sentence(address):
    with (
        pytest.raises(ValueError, match=r"^cannot reach a Dask scheduler at .*: give the address"),
        dask_client(1, address),
    ):
        pass


@pytest.mark.usefixtures("in_a_hurry")
def test_a_silent_server_is_not_a_scheduler():
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = []
        thread = Thread(target=lambda: taken.append(server.accept()[0]))
        thread.start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ValueError, match=r"^cannot reach a Dask"), dask_client(1, address):
            pass
        thread.join()
        taken[0].close()


def test_a_scheduler_is_reached_from_within_a_loop_of_events_as_in_a_notebook(client):
    async def in_a_notebook():
        with dask_client(1, client.scheduler.address) as found:
            return len(found.scheduler_info()["workers"])

    assert asyncio.run(in_a_notebook()) > 0


def test_a_scheduler_without_workers_is_one_sentence():
    from distributed import LocalCluster

    with (
        LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address=None) as cluster,
        pytest.raises(ValueError, match=r"the Dask scheduler at tcp://.* has no workers: start"),
        dask_client(1, cluster.scheduler_address),
    ):
        pass


@pytest.mark.long
def test_a_cluster_that_is_started_here_is_for_this_machine_and_has_no_pages(client):
    here = psutil.Process()
    listening = [
        connection.laddr
        for process in (here, *here.children(recursive=True))
        for connection in process.net_connections()
        if connection.status == psutil.CONN_LISTEN
    ]
    assert len(listening) >= 3  # the scheduler and two workers
    assert {address.ip for address in listening} == {"127.0.0.1"}
    info = client.scheduler_info()
    ports = [info["services"]["dashboard"]]
    ports += [worker["services"]["dashboard"] for worker in info["workers"].values()]
    for port in ports:
        for page in ("", "status", "info/main/workers.html", "json/counts.json", "health"):
            with pytest.raises(HTTPError, match="404"):
                urlopen(f"http://127.0.0.1:{port}/{page}", timeout=10)


@pytest.mark.long
def test_the_command_starts_a_cluster_of_its_own(tmp_path):
    path = write(tmp_path / "rows.parquet", predictions("set"))
    whole, parts = (
        wager_command("score", path, "-f", "json", *options)
        for options in ((), ("--engine", "dask", "--jobs", "1"))
    )
    assert parts.stderr == whole.stderr == ""
    assert parts.stdout == whole.stdout


def test_wrong_options_are_one_sentence(tmp_path, command_here):
    path = write(tmp_path / "rows.parquet", predictions("set"))
    for options, words in (
        (("--jobs", "2"), "--jobs needs --engine dask"),
        (("--dask-address", "tcp://a:1"), "--dask-address needs --engine dask"),
        (("--engine", "dask", "--dask-address", "a", "--jobs", "2"), "--jobs is for a cluster"),
    ):
        done = command_here("score", path, *options)
        assert done.returncode == 2
        assert done.stderr.startswith(f"wager: {words}")


@pytest.mark.long
def test_what_is_not_a_client_is_refused(client):
    assert engine_of(None) is None
    assert engine_of(client) == DaskEngine(client)
    with pytest.raises(ValueError, match=r"client must be a dask.distributed.Client, got str"):
        engine_of("tcp://127.0.0.1:8786")

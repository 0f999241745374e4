"""A real SLURM cluster on this machine, for tests: two CPU nodes and two GPU nodes with null devices as GPUs.

Controller and nodes are daemons in the foreground, children of this process: they end with it, even if it is
killed. Everything is in one folder except the link /etc/slurm/slurm.conf, which is needed because the
executor's job steps drop SLURM_CONF. The daemons listen on loopback only.

    python tests/slurm/cluster.py       says in one line what is missing, or that nothing is
"""

from __future__ import annotations

import ctypes
import getpass
import os
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

CONFIG = Path("/etc/slurm/slurm.conf")
PROGRAMS = {"munged": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd", "sbatch": "slurm-client"}
ACCOUNTING = {"slurmdbd": "slurmdbd", "mariadbd": "mariadb-server"}
CPU_NODES, GPU_NODES = ["cpu1", "cpu2"], ["gpu1", "gpu2"]
GPUS = 2  # of each GPU node
CORES = 1  # of each node: four jobs at once are enough for a small machine
MEMORY = 32000  # MB, as far as the scheduler knows
PORT = 26817  # of the controller; the others follow
PR_SET_PDEATHSIG = 1


def missing(accounting: bool = False, running: bool = False) -> str:
    """Say in one line what keeps a cluster from being started here; empty if nothing does.

    `running`: the caller already has one, which it will stop.
    """
    if getpass.getuser() != "root":
        return "SLURM's daemons need root"
    needed = PROGRAMS | ACCOUNTING if accounting else PROGRAMS
    absent = sorted({package for program, package in needed.items() if not shutil.which(program)})
    if absent:
        return f"not installed: {' '.join(absent)} (Debian: apt-get install --no-install-recommends)"
    if running:
        return ""
    if CONFIG.exists() and not CONFIG.is_symlink():
        return f"{CONFIG} exists: this machine belongs to a cluster"
    # A link that a killed cluster left behind is not in use and may be replaced.
    if CONFIG.exists() and "UP" in _output("scontrol", "ping"):
        return f"{CONFIG} is in use: another cluster runs on this machine"
    try:
        socket.gethostbyname(socket.gethostname())
    except OSError:
        return f"the host name {socket.gethostname()} has no address; add it to /etc/hosts"
    return ""


def _output(*command: str) -> str:
    """Return what a command prints."""
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout


def _die_with_parent() -> None:
    """Ask the kernel to end this process when its parent ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Cluster:
    """A cluster in a folder, running during its `with` block."""

    def __init__(self, folder: Path, accounting: bool = False) -> None:
        self.folder, self.accounting = folder, accounting
        self.host = socket.gethostname().partition(".")[0]
        self.socket = folder / "munge.socket"
        self.daemons: dict[str, subprocess.Popen] = {}
        self.environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SBATCH_"))
        } | {"SLURM_CONF": f"{folder}/etc/slurm.conf"}

    def __enter__(self) -> Cluster:
        """Start the cluster and wait until every node is idle; stop it if that fails."""
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def run(self, *command: str, check: bool = True) -> str:
        """Return the output of one of SLURM's commands."""
        result = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=300, check=False
        )
        if check and result.returncode:
            raise RuntimeError(f"{' '.join(command)}: {result.stderr.strip()}")
        return result.stdout

    def jobs(self) -> list[dict[str, str]]:
        """Return the controller's detailed record of every job, running or done, by field."""
        records = self.run("scontrol", "--details", "show", "job", check=False).split("\n\n")
        return [_fields(record) for record in records if record.startswith("JobId=")]

    def stop(self) -> None:
        """End jobs, nodes and controller, and remove the link."""
        if "slurmctld" in self.daemons:
            for state in ("RUNNING", "PENDING"):
                self.run("scancel", "--state", state, "--user", "root", check=False)
            _wait(15, lambda: not self.run("squeue", "--noheader", check=False).strip())
        for name in reversed(list(self.daemons)):
            self._end(name)
        if CONFIG.is_symlink() and CONFIG.readlink().is_relative_to(self.folder):
            CONFIG.unlink()

    def start_node(self, name: str) -> None:
        """Start the daemon of one node."""
        self._daemon(f"slurmd-{name}", "slurmd", "-D", "-N", name)

    def _start(self) -> None:
        for name in ("state", "spool", "devices", "log"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o755)
        self._write_key()
        self._write_configuration()
        self._daemon(
            "munged",
            *("munged", "--foreground", "--force", f"--socket={self.socket}"),
            *(f"--key-file={self.folder}/munge.key", f"--pid-file={self.folder}/munged.pid"),
            *(f"--log-file={self.folder}/log/munged.log", f"--seed-file={self.folder}/munge.seed"),
        )
        self._await("munged", self.socket.exists)
        if self.accounting:
            self._start_accounting()
        self._daemon("slurmctld", "slurmctld", "-D")
        self._await("slurmctld", lambda: "UP" in self.run("scontrol", "ping", check=False))
        for name in CPU_NODES + GPU_NODES:
            (self.folder / "spool" / name).mkdir(exist_ok=True)
            self.start_node(name)
        self._await("the nodes", lambda: self.states() == dict.fromkeys(CPU_NODES + GPU_NODES, "idle"))

    def states(self) -> dict[str, str]:
        """Return the state of every node."""
        lines = self.run("sinfo", "--noheader", "--Node", "--format=%N %t", check=False).split("\n")
        return dict(line.split() for line in lines if line)

    def _write_key(self) -> None:
        key = self.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(secrets.token_bytes(1024))

    def _write_configuration(self) -> None:
        for number in range(GPUS):
            device = self.folder / "devices" / f"gpu{number}"
            if not device.exists():
                os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        folder = self.folder / "etc"
        folder.mkdir(exist_ok=True)
        (folder / "slurm.conf").write_text(self._slurm_conf(), encoding="utf-8")
        devices = [
            f"NodeName={node} Name=gpu Type=fake File={self.folder}/devices/gpu{number}"
            for node in GPU_NODES
            for number in range(GPUS)
        ]
        (folder / "gres.conf").write_text("\n".join(["AutoDetect=off", *devices, ""]), encoding="utf-8")
        (folder / "cgroup.conf").write_text("CgroupAutomount=no\n", encoding="utf-8")
        CONFIG.parent.mkdir(exist_ok=True)
        CONFIG.unlink(missing_ok=True)
        CONFIG.symlink_to(folder / "slurm.conf")

    def _slurm_conf(self) -> str:
        address = f"NodeHostname={self.host} NodeAddr=127.0.0.1"
        hardware = f"CPUs={CORES} RealMemory={MEMORY} State=UNKNOWN"
        nodes = [
            f"NodeName={name} {address} Port={PORT + 11 + number} {hardware}"
            + (f" Gres=gpu:fake:{GPUS}" if name in GPU_NODES else "")
            for number, name in enumerate(CPU_NODES + GPU_NODES)
        ]
        storage = (
            [
                "AccountingStorageType=accounting_storage/slurmdbd",
                "AccountingStorageHost=127.0.0.1",
                f"AccountingStoragePort={PORT + 1}",
                f"AccountingStoragePass={self.socket}",
                "AccountingStorageTRES=gres/gpu",
                "AccountingStoreFlags=job_comment",
            ]
            if self.accounting
            else ["AccountingStorageType=accounting_storage/none"]
        )
        return "\n".join(
            [
                "ClusterName=test",
                f"SlurmctldHost={self.host}(127.0.0.1)",
                f"SlurmctldPort={PORT}",
                "SlurmUser=root",
                "SlurmdUser=root",
                "AuthType=auth/munge",
                f"AuthInfo=socket={self.socket},cred_expire=10",  # a requeued job waits this long
                "CredType=cred/munge",
                "CommunicationParameters=NoCtldInAddrAny,NoInAddrAny",
                "MpiDefault=none",
                "ProctrackType=proctrack/linuxproc",
                "TaskPlugin=task/none",
                "SwitchType=switch/none",
                "SelectType=select/cons_tres",
                "SelectTypeParameters=CR_Core_Memory",
                "GresTypes=gpu",
                "SlurmdParameters=config_overrides",  # nodes are as in this file, not as the machine is
                "SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0",
                "ReturnToService=2",
                "KillWait=2",
                "SlurmdTimeout=20",
                "MinJobAge=3600",  # jobs are remembered as long as a test may need them
                f"SlurmctldPidFile={self.folder}/slurmctld.pid",
                f"SlurmdPidFile={self.folder}/slurmd-%n.pid",
                f"SlurmdSpoolDir={self.folder}/spool/%n",
                f"StateSaveLocation={self.folder}/state",
                f"SlurmctldLogFile={self.folder}/log/slurmctld.log",
                f"SlurmdLogFile={self.folder}/log/slurmd-%n.log",
                *storage,
                *nodes,
                f"PartitionName=cpu Nodes={','.join(CPU_NODES)} Default=YES MaxTime=2-0 State=UP",
                f"PartitionName=gpu Nodes={','.join(GPU_NODES)} MaxTime=2-0 State=UP",
                "",
            ]
        )

    def _start_accounting(self) -> None:
        """Start a database and SLURM's daemon for it, and register the cluster and this user."""
        data, client = self.folder / "data", self.folder / "mysql.socket"
        data.mkdir()
        common = ("--no-defaults", "--user=root", f"--datadir={data}")
        self.run("mariadb-install-db", *common, "--skip-test-db", "--auth-root-authentication-method=socket")
        self._daemon(
            "mariadbd",
            *("mariadbd", *common, f"--socket={data}/socket", f"--pid-file={data}/pid"),
            *("--bind-address=127.0.0.1", f"--port={PORT + 2}", "--innodb-lock-wait-timeout=900"),
        )
        client = ("mariadb", "--no-defaults", f"--socket={data}/socket", "--execute")
        self._await("mariadbd", lambda: bool(self.run(*client, "select 1", check=False)))
        password = secrets.token_hex(16)
        user = "'slurm'@'127.0.0.1'"
        self.run(*client, f"create database slurm; create user {user} identified by '{password}'")
        self.run(*client, f"grant all on slurm.* to {user}")
        configuration = self.folder / "etc" / "slurmdbd.conf"
        configuration.touch(mode=0o600)
        configuration.write_text(
            f"AuthType=auth/munge\nAuthInfo=socket={self.socket}\nDbdHost={self.host}\nDbdAddr=127.0.0.1\n"
            f"DbdPort={PORT + 1}\nCommunicationParameters=NoInAddrAny\nSlurmUser=root\n"
            f"PidFile={self.folder}/slurmdbd.pid\nLogFile={self.folder}/log/slurmdbd.log\n"
            "StorageType=accounting_storage/mysql\nStorageHost=127.0.0.1\n"
            f"StoragePort={PORT + 2}\nStorageUser=slurm\nStoragePass={password}\nStorageLoc=slurm\n",
            encoding="utf-8",
        )
        self._daemon("slurmdbd", "slurmdbd", "-D")
        listing = ("sacctmgr", "--noheader", "--parsable2", "list", "cluster")
        self._await("slurmdbd", lambda: self.run(*listing, check=False) is not None and self._adds_cluster())
        self.run("sacctmgr", "--immediate", "add", "account", "test", "Cluster=test")
        self.run("sacctmgr", "--immediate", "add", "user", "root", "Account=test", check=False)

    def _adds_cluster(self) -> bool:
        """Register the cluster; return whether it worked, which needs the database daemon to be up."""
        self.run("sacctmgr", "--immediate", "add", "cluster", "test", check=False)
        return "test" in self.run("sacctmgr", "--noheader", "--parsable2", "list", "cluster", check=False)

    def _daemon(self, name: str, *command: str) -> None:
        with (self.folder / "log" / f"{name}.out").open("ab") as output:
            self.daemons[name] = subprocess.Popen(
                command,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                preexec_fn=_die_with_parent,
            )

    def _end(self, name: str) -> None:
        daemon = self.daemons.pop(name)
        daemon.terminate()
        try:
            daemon.wait(timeout=20)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()

    def _await(self, what: str, is_up: Callable[[], bool]) -> None:
        if not _wait(120, is_up):
            logs = sorted((self.folder / "log").iterdir())
            tails = [line for log in logs for line in log.read_text(errors="replace").splitlines()[-4:]]
            raise RuntimeError("\n".join([f"{what} did not come up; logs end with:", *tails]))


def _wait(seconds: float, condition: Callable[[], bool]) -> bool:
    """Wait until a condition holds; return whether it did in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


def rule_of(job: dict[str, str]) -> str:
    """Return the rule of a job, from the folder of its log."""
    folders = Path(job["StdOut"]).parts
    return next(name.removeprefix("rule_") for name in folders if name.startswith("rule_"))


def _fields(record: str) -> dict[str, str]:
    """Return the fields of one record of `scontrol show`: Key=value, several per line."""
    pairs = (word.partition("=") for word in record.split())
    return {key: value for key, separator, value in pairs if separator}


if __name__ == "__main__":
    reason = missing()
    print(f"no SLURM cluster can be started here: {reason}" if reason else "a SLURM cluster can be started")
    sys.exit(bool(reason))

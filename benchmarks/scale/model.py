"""What an evaluation takes, as a function of rows, cores and machines; fitted to measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Line:
    """Seconds that do not depend on rows, and seconds per row."""

    fixed: float
    per_row: float

    @classmethod
    def through(cls, n_rows: Sequence[int], seconds: Sequence[float]) -> Line:
        """Fit by least squares of relative errors: the largest size would decide alone."""
        weights = 1 / np.asarray(seconds, dtype=float)
        columns = np.stack([np.ones(len(n_rows)), np.asarray(n_rows, dtype=float)], axis=1)
        found, *_ = np.linalg.lstsq(columns * weights[:, None], np.ones(len(n_rows)), rcond=None)
        fixed, per_row = found.tolist()
        if fixed < 0:  # no time is negative: fit a line through the origin instead
            fixed, per_row = 0.0, float(np.mean(np.asarray(seconds) / np.asarray(n_rows)))
        return cls(fixed, per_row)

    def at(self, n_rows: float, speed_up: float = 1.0) -> float:
        """Return seconds for so many rows, if rows are so many times as fast."""
        return self.fixed + self.per_row * n_rows / speed_up


@dataclass(frozen=True)
class Cluster:
    """Machines of equal size."""

    n_machines: int
    n_cores: int
    network: float
    """Bytes per second into each machine."""
    disk: float
    """Bytes per second of each machine's disks."""


@dataclass(frozen=True)
class Estimate:
    """Seconds that each resource is busy. The longest is the limit, as they work side by side."""

    cores: float
    network: float
    disk: float

    @property
    def seconds(self) -> float:
        """The longest of them."""
        return max(self.cores, self.network, self.disk)

    @property
    def limit(self) -> str:
        """The name of the resource that takes longest."""
        named = {"cores": self.cores, "network": self.network, "disk": self.disk}
        return max(named, key=named.__getitem__)


@dataclass(frozen=True)
class Model:
    """Spark, as it was measured on a cluster of some cores."""

    measured: Line
    n_cores: int
    shuffle_bytes: float
    """Bytes per row that the shuffle writes, compressed."""

    def on(self, cluster: Cluster, n_rows: float) -> Estimate:
        """Estimate what a cluster takes.

        Cores are as fast as those measured. A share of the shuffle stays on its machine; all of it
        is written to disks and read again.
        """
        cores = cluster.n_machines * cluster.n_cores
        moved = n_rows * self.shuffle_bytes / cluster.n_machines
        away = 1 - 1 / cluster.n_machines
        return Estimate(
            self.measured.at(n_rows, cores / self.n_cores),
            moved * away / cluster.network,
            2 * moved / cluster.disk,
        )

    def pays_from(self, local: Line, cores: int) -> float | None:
        """Return the rows from which a cluster of so many cores is faster than a local engine.

        None if it never is.
        """
        gain = local.per_row - self.measured.per_row * self.n_cores / cores
        if gain <= 0:
            return None
        return max(0.0, (self.measured.fixed - local.fixed) / gain)

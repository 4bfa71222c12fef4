"""Clusterers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _worker
from ._report import Report, Result
from ._requests import check_same, feature_names, groups_of, keep, parameters_of, provenance, seed_of, weights_of

_EVERYBODY = ("n_clusters", "balance", "min_size", "max_size", "distance", "effort", "n_init", "max_iter", "n_jobs")
#: They mean nothing where nothing is protected.
_GROUPS = ("delta", "bounds", "tolerance")


class _KMeans(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """What both clusterers do. Only their defaults differ."""

    labels_: NDArray[np.int32]
    cluster_centers_: NDArray[np.float64]
    inertia_: float
    n_iter_: int
    seed_: int
    result_: Result
    model_: str

    def fit(
        self, X: ArrayLike, y: None = None, *, sensitive_features: Any = None, sample_weight: ArrayLike | None = None
    ) -> Any:
        """Finds clusters of the rows of ``X`` in which every group of ``sensitive_features`` has its share.

        ``sensitive_features`` is a frame, a series, a mapping of names to columns or an array; ``sample_weight`` says how many people
        each row counts for (above 0). Raises :class:`InfeasibleError` before anything is computed where no clustering can keep the bounds.
        """
        X = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        self._fit(X, seed_of(self.random_state), sensitive_features, sample_weight)
        return self

    def report(
        self, X: ArrayLike, *, sensitive_features: Any = None, sample_weight: ArrayLike | None = None
    ) -> Report:
        """The clustering of the same people as a page. Clusters them again with the seed of the fit, which gives the same labels."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        again = copy(self)
        page = again._fit(X, self.seed_, sensitive_features, sample_weight, report=True)
        assert page is not None
        check_same(again, self)
        return page

    def _fit(
        self, X: NDArray[Any], seed: int, sensitive_features: Any, sample_weight: ArrayLike | None, report: bool = False
    ) -> Report | None:
        groups, columns = groups_of(sensitive_features, X)
        weights = weights_of(sample_weight, X)
        self._features = feature_names(self, groups)
        header: dict[str, Any] = {
            "ask": "cluster",
            "features": self._features,
            "groups": groups,
            "protect": self.protect,
            "weighted": bool(weights),
            "scale": self.scale,
            "parameters": parameters_of(self, _EVERYBODY + (_GROUPS if groups else ())) | {"random_state": seed},
        }
        if report:
            header["report"] = provenance(self)
        answer, (labels, centres) = _worker.ask(header, [X, *columns, *weights])
        page = keep(self, answer)
        self.seed_ = seed
        self.labels_ = labels
        self.cluster_centers_ = centres.reshape(-1, X.shape[1]).astype(X.dtype, copy=False)
        # With Manhattan distances the sum of these is what was made small.
        self.inertia_ = float(self.result_.get("cost", self.result_["sse"]))
        self.n_iter_ = int(self.result_["iterations"])
        return page

    def fit_predict(self, X: ArrayLike, y: None = None, **kwargs: Any) -> NDArray[np.int32]:
        """The labels of :meth:`fit`. Where groups are protected they differ from :meth:`predict`, which takes the nearest centre."""
        labels: NDArray[np.int32] = self.fit(X, **kwargs).labels_
        return labels

    def predict(self, X: ArrayLike) -> NDArray[np.int32]:
        """The nearest centre of each row. Nobody's group is looked at, so nothing is promised to groups."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        _, (labels,) = _worker.ask({"ask": "predict", "features": self._features, "model": self.model_}, [X])
        return labels

    def save_model(self, path: str | PathLike[str]) -> None:
        """Writes the model for ``moiety predict``, ``assign`` and ``update``."""
        check_is_fitted(self)
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.model_)


class FairKMeans(_KMeans):
    """k-means in which every protected group has its share of every cluster.

    Parameters
    ----------
    n_clusters : int, default=8
    delta : float, default=0.2
        A group's share of each cluster is between ``share * (1 - delta)`` and ``share / (1 - delta)`` of its share of everybody.
    bounds : dict, default=None
        Explicit shares instead, such as ``{"sex": {"F": {"min": 0.3, "max": 0.5}}}``.
    tolerance : float, default=1
        How many people a group may be beyond its bounds in a cluster.
    protect : list of str, default=None
        Attributes made of the columns of ``sensitive_features``: ``["sex*region", "age:25,40,65"]``. None: each column.
    balance : "hard" or float, default=None
        Clusters of even size as well, see :class:`BalancedKMeans`.
    min_size, max_size : int, default=None
        Limits of the size of every cluster. None: no cluster is so small that a bound means nothing there.
    distance : "euclidean" or "manhattan", default="euclidean"
    scale : "none", "standard" or "minmax", default="none"
        What is done to the columns of ``X`` first. The command line's default is "standard".
    effort : "quick", "normal" or "best", default=None
    n_init : int, default=1
    max_iter : int, default=50
    random_state : int, RandomState instance or None, default=None
        An int is the seed of the command line, and gives its labels.
    n_jobs : int, default=None
        Threads; None: as many as there are cores. Labels do not depend on it.

    Attributes
    ----------
    labels_ : the cluster of each row
    cluster_centers_ : in the units of ``X``
    inertia_ : the sum of squared distances to the centres, in the scaled space where there is one
    result_ : what ``moiety cluster --json`` prints: ``result_["verdict"]``, ``result_["groups"]`` and the rest
    model_ : the model, as JSON text
    seed_ : the seed that was used
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        delta: float = 0.2,
        bounds: Mapping[str, Mapping[str, Mapping[str, float]]] | None = None,
        tolerance: float = 1,
        protect: Sequence[str] | None = None,
        balance: float | Literal["hard"] | None = None,
        min_size: int | Literal["meaningful"] | None = None,
        max_size: int | None = None,
        distance: Literal["euclidean", "manhattan"] = "euclidean",
        scale: Literal["none", "standard", "minmax"] = "none",
        effort: Literal["quick", "normal", "best"] | None = None,
        n_init: int = 1,
        max_iter: int = 50,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.delta = delta
        self.bounds = bounds
        self.tolerance = tolerance
        self.protect = protect
        self.balance = balance
        self.min_size = min_size
        self.max_size = max_size
        self.distance = distance
        self.scale = scale
        self.effort = effort
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs


class BalancedKMeans(_KMeans):
    """k-means with clusters of even size; with ``sensitive_features`` both even and fair.

    ``balance="hard"`` promises sizes that differ by one at most; a number above 0 and up to 1 weighs cohesion against evenness.
    With ``min_size`` or ``max_size`` and ``balance=None`` only these limits are kept. All else is as in :class:`FairKMeans`.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        balance: float | Literal["hard"] | None = "hard",
        min_size: int | Literal["meaningful"] | None = None,
        max_size: int | None = None,
        delta: float = 0.2,
        bounds: Mapping[str, Mapping[str, Mapping[str, float]]] | None = None,
        tolerance: float = 1,
        protect: Sequence[str] | None = None,
        distance: Literal["euclidean", "manhattan"] = "euclidean",
        scale: Literal["none", "standard", "minmax"] = "none",
        effort: Literal["quick", "normal", "best"] | None = None,
        n_init: int = 1,
        max_iter: int = 50,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.balance = balance
        self.min_size = min_size
        self.max_size = max_size
        self.delta = delta
        self.bounds = bounds
        self.tolerance = tolerance
        self.protect = protect
        self.distance = distance
        self.scale = scale
        self.effort = effort
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

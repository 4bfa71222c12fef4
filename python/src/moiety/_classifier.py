"""Classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _worker
from ._report import Report, Result
from ._requests import check_same, feature_names, groups_of, keep, parameters_of, provenance, seed_of

_OPTIONS = ("algorithm", "fairness", "net", "parties", "rounds", "max_rounds", "rate", "beta", "eta", "target", "n_jobs")


class FairClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of two classes, or of up to 20, whose answers differ little between the groups of protected attributes.

    Groups are needed to fit, and never to predict.

    Parameters
    ----------
    fairness : "eo", "dp" or "ap", default="eo"
        What is to be the same in all groups: the true positive rate (equal opportunity), the positive rate (demographic parity) or the
        accuracy (accuracy parity). Of more than two classes, the rates of each.
    algorithm : str, default="ffalm-global"
        One of those that ``moiety algorithms`` lists.
    net : "logistic" or "mlp", default="logistic"
    target : float, default=None
        The largest difference between groups that is sought. None: none at all.
    protect : list of str, default=None
        The attributes, made of columns of ``sensitive_features``, such as ``["sex", "race"]`` or ``["sex*race"]``. None: every column.
    scale : "standard", "minmax" or "none", default="standard"
    parties : int, default=1
        In-process parties over which the people are dealt, as in a federation.
    rounds, max_rounds : int, default=None
        Exactly so many rounds, or at most so many; None: until nothing moves any more.
    rate, beta, eta : float, default=None
        The length of a step, the penalty of a squared difference and how fast prices of fairness rise; None: those of ``moiety train``.
    random_state : int, RandomState instance or None, default=None
    n_jobs : int, default=None

    Attributes
    ----------
    classes_ : the classes; of two the second is the yes whose rates are compared
    result_ : what ``moiety train --json`` prints, measured on the people that were learnt from
    model_ : the model, as JSON text
    """

    classes_: NDArray[Any]
    seed_: int
    result_: Result
    model_: str

    def __init__(
        self,
        fairness: Literal["eo", "dp", "ap"] | None = "eo",
        *,
        algorithm: str = "ffalm-global",
        net: Literal["logistic", "mlp"] = "logistic",
        target: float | None = None,
        protect: Sequence[str] | None = None,
        scale: Literal["standard", "minmax", "none"] = "standard",
        parties: int = 1,
        rounds: int | None = None,
        max_rounds: int | None = None,
        rate: float | None = None,
        beta: float | None = None,
        eta: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.fairness = fairness
        self.algorithm = algorithm
        self.net = net
        self.target = target
        self.protect = protect
        self.scale = scale
        self.parties = parties
        self.rounds = rounds
        self.max_rounds = max_rounds
        self.rate = rate
        self.beta = beta
        self.eta = eta
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: ArrayLike, *, sensitive_features: Any = None) -> FairClassifier:
        """Learns ``y`` from ``X``, with answers that differ little between the groups of ``sensitive_features``."""
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32], ensure_min_samples=2)
        self._fit(X, y, seed_of(self.random_state), sensitive_features)
        return self

    def report(self, X: ArrayLike, y: ArrayLike, *, sensitive_features: Any) -> Report:
        """The classifier of the same people as a page. Learns it again with the seed of the fit, which gives the same model."""
        check_is_fitted(self)
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32], reset=False)
        again = copy(self)
        page = again._fit(X, y, self.seed_, sensitive_features, report=True)
        assert page is not None
        check_same(again, self)
        return page

    def _fit(
        self, X: NDArray[Any], y: NDArray[Any], seed: int, sensitive_features: Any, report: bool = False
    ) -> Report | None:
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("y has one class, and two are needed: FairClassifier learns to tell them apart")
        groups, columns = groups_of(sensitive_features, X)
        self._features = feature_names(self, groups)
        header: dict[str, Any] = {
            "ask": "train",
            "features": self._features,
            "groups": groups,
            "protect": self.protect,
            "classes": self._names(),
            "scale": self.scale,
            "parameters": parameters_of(self, _OPTIONS) | {"random_state": seed},
        }
        if report:
            header["report"] = provenance(self)
        answer, _ = _worker.ask(header, [X, *columns, codes.astype(np.int32)])
        page = keep(self, answer)
        self.seed_ = seed
        return page

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        answers, _ = self._ask(X)
        found: NDArray[Any] = self.classes_[answers]
        return found

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """The probability of each class, by the model."""
        _, scores = self._ask(X)
        if len(self.classes_) == 2:
            return np.column_stack([1 - scores, scores])
        return scores

    def _ask(self, X: ArrayLike) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """The place of everybody's class, and the probability of the second of two, or of each of more."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        header = {"ask": "classify", "features": self._features, "model": self.model_}
        answer, (answers, scores) = _worker.ask(header, [X])
        if len(self.classes_) == 2:
            return answers, scores
        # The model has its classes in the order of texts.
        names = self._names()
        places = np.array([names.index(name) for name in answer["classes"]])
        return places[answers], scores.reshape(len(X), len(names))[:, np.argsort(places)]

    def _names(self) -> list[str]:
        return [str(each) for each in self.classes_]

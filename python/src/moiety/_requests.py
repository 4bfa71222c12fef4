"""What estimators send: parameters, names of columns, and groups as numbers."""

from __future__ import annotations

import datetime
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, check_random_state

from ._report import Report, Result
from ._worker import MoietyError

#: What our own columns are called; features of the same name get another.
_OWN_NAMES = ("sample_weight", "y")


def seed_of(random_state: Any) -> int:
    """A number is the seed itself, so that it gives the labels of the command line."""
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def feature_names(estimator: Any, groups: Iterable[Mapping[str, Any]]) -> list[str]:
    """The names of the features, none of which is that of a group column."""
    known = getattr(estimator, "feature_names_in_", None)
    names = [str(name) for name in known] if known is not None else [f"x{i}" for i in range(estimator.n_features_in_)]
    taken = {*_OWN_NAMES, *(each["name"] for each in groups)}
    return [f"{name} (feature)" if name in taken else name for name in names]


def groups_of(sensitive_features: Any, X: NDArray[Any]) -> tuple[list[dict[str, Any]], list[NDArray[Any]]]:
    """The columns of protected groups: a frame, a series, a mapping of names to columns, or an array of one or two dimensions."""
    if sensitive_features is None:
        return [], []
    described, arrays = [], []
    for name, values in _columns_of(sensitive_features):
        check_consistent_length(X, values)
        levels, numbers = _numbers_of(values)
        described.append({"name": str(name)} if levels is None else {"name": str(name), "levels": levels})
        arrays.append(numbers)
    return described, arrays


def _columns_of(given: Any) -> list[tuple[Any, Any]]:
    if isinstance(given, Mapping):
        return list(given.items())
    if hasattr(given, "columns") and hasattr(given, "__getitem__"):
        return [(name, given[name]) for name in given.columns]
    if hasattr(given, "name") and hasattr(given, "dtype"):
        return [(given.name if given.name is not None else "group", given)]
    array = np.asarray(given)
    if array.ndim == 2 and array.shape[1] != 1:
        return [(f"group{i}", array[:, i]) for i in range(array.shape[1])]
    return [("group", array.reshape(-1))]


def _numbers_of(values: Any) -> tuple[list[str] | None, NDArray[Any]]:
    """Numbers as they are; everything else as codes of its texts, -1 where missing."""
    dtype = getattr(values, "dtype", None)
    if hasattr(dtype, "categories"):
        categorical = values.cat if hasattr(values, "cat") else values
        return [str(each) for each in categorical.categories], np.asarray(categorical.codes, dtype=np.int32)
    array = np.asarray(values)
    if array.dtype.kind == "b":
        return ["false", "true"], array.astype(np.int32)
    if array.dtype.kind in "iuf":
        return None, array.astype(np.float64)
    try:
        from pandas import factorize

        codes, found = factorize(array)
    except ImportError:
        present = np.array([each is not None and each == each for each in array], dtype=bool)
        found, inverse = np.unique(array[present].astype(str), return_inverse=True)
        codes = np.full(len(array), -1)
        codes[present] = inverse
    return [str(each) for each in found], np.asarray(codes, dtype=np.int32)


def weights_of(sample_weight: ArrayLike | None, X: NDArray[Any]) -> list[NDArray[Any]]:
    if sample_weight is None:
        return []
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim != 1:
        raise ValueError(f"sample_weight has {weights.ndim} dimensions: give one weight above 0 for each row")
    check_consistent_length(X, weights)
    wrong = int((~(weights > 0)).sum())
    if wrong > 0:
        advice = "give numbers above zero, and leave those rows out"
        raise MoietyError(f"sample_weight is zero, below zero or missing in {wrong} of {len(weights)} rows: {advice}", "input")
    # Where everybody counts once nobody has to move as a whole.
    return [] if (weights == 1).all() else [weights]


def provenance(estimator: Any) -> dict[str, str]:
    """What a page says of where it comes from."""
    today = datetime.date.today().isoformat()
    return {"command": " ".join(repr(estimator).split()), "source": "arrays from Python", "made": today}


def keep(estimator: Any, answer: Mapping[str, Any]) -> Report | None:
    """Takes over what both kinds of estimators are told, and says what there is to warn of."""
    estimator.result_ = Result(answer["result"], answer["text"])
    estimator.model_ = answer["model"]
    for warning in answer["warnings"]:
        warnings.warn(warning, UserWarning, stacklevel=4)
    return Report(answer["page"]) if "page" in answer else None


def parameters_of(estimator: Any, names: Sequence[str]) -> dict[str, Any]:
    found = {name: _plain(getattr(estimator, name)) for name in names}
    jobs = found.get("n_jobs")
    if isinstance(jobs, int) and jobs < 0:
        # As everywhere in scikit-learn, -1 is all cores, and -2 all but one.
        found["n_jobs"] = max(1, (os.cpu_count() or 1) + 1 + jobs)
    return found


def check_same(page_of: Any, fitted: Any) -> None:
    """A page is of the people that were fitted: the same people, parameters and seed give the same model."""
    if page_of.model_ != fitted.model_:
        what = "the people, their groups or weights, or a parameter are not those of the fit"
        raise ValueError(f"{what}: give the report what fit was given, or fit again")


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
